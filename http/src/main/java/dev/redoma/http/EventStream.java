// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Server-sent events; each is flushed as it is sent. Not thread-safe.
public final class EventStream {
    private final OutputStream out;

    EventStream(OutputStream out) {
        this.out = out;
    }

    /// `data` is sent as JSON on one line.
    public void event(String name, @Nullable String id, Object data) throws IOException {
        send("event: " + name + "\n" + (id == null ? "" : "id: " + id + "\n") + "data: " + Json.text(data) + "\n\n");
    }

    public void comment(String text) throws IOException {
        send(": " + text + "\n\n");
    }

    private void send(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
