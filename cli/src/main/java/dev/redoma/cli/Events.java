// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.OutputSink;
import dev.redoma.model.wire.Exec;
import java.io.IOException;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/// Where a command's output goes: bytes as they are, or with `--json` one event a line on stdout.
final class Events implements OutputSink {
    private final Io io;
    private final boolean json;
    private final Consumer<Exec> started;

    Events(Io io, boolean json, Consumer<Exec> started) {
        this.io = io;
        this.json = json;
        this.started = started;
    }

    @Override
    public void stdout(byte[] bytes, int off, int len) {
        if (json) {
            event("stdout", bytes, off, len);
            return;
        }
        try {
            io.out().write(bytes, off, len);
            io.out().flush();
        } catch (IOException gone) {
            throw new Io.OutputGone(gone);
        }
    }

    @Override
    public void stderr(byte[] bytes, int off, int len) {
        if (json) {
            event("stderr", bytes, off, len);
        } else {
            io.err().write(bytes, off, len);
            io.err().flush();
        }
    }

    private void event(String stream, byte[] bytes, int off, int len) {
        line(io, stream, Map.of("base64", Base64.getEncoder().encodeToString(Arrays.copyOfRange(bytes, off, off + len))));
    }

    @Override
    public void started(Exec exec) {
        if (json) {
            line(io, "started", Map.of("exec", exec));
        }
        started.accept(exec);
    }

    static void line(Io io, String event, Map<String, ?> rest) {
        var all = new LinkedHashMap<String, Object>();
        all.put("event", event);
        all.putAll(rest);
        io.line(dev.redoma.client.json.Json.write(all));
    }
}
