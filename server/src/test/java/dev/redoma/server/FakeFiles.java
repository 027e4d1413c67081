// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Files;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.FileEvent;
import dev.redoma.model.wire.FileInfo;
import dev.redoma.pool.Outgoing;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Files in memory, flat.
final class FakeFiles implements Files {
    private final FakeRedoma redoma;
    final Map<String, byte[]> content = new ConcurrentHashMap<>();

    FakeFiles(FakeRedoma redoma) {
        this.redoma = redoma;
    }

    private FileInfo info(String path) {
        var bytes = content.get(path);
        if (bytes == null) {
            throw Problem.of(Code.FILE_NOT_FOUND, "There is no " + path + ".", "Look: files/list.").with("path", path).raise();
        }
        return new FileInfo(path, "file", bytes.length, "0644", 1000, 1000, "user", "user", Instant.EPOCH, null, null, null, 1, null, null);
    }

    @Override
    public FileInfo stat(Caller caller, String sandbox, String path, @Nullable String user, boolean follow) {
        redoma.get(caller, sandbox);
        return info(path);
    }

    @Override
    public List<FileInfo> list(Caller caller, String sandbox, String path, @Nullable String user, int depth) {
        redoma.get(caller, sandbox);
        return content.keySet().stream().sorted().map(this::info).toList();
    }

    @Override
    public void read(Caller caller, String sandbox, String path, @Nullable String user, long offset, long length, Header header) throws IOException {
        redoma.get(caller, sandbox);
        var bytes = content.getOrDefault(path, new byte[0]);
        var out = header.accept(info(path));
        int from = (int) Math.min(offset, bytes.length);
        out.write(ByteBuffer.wrap(bytes, from, (int) Math.min(length, bytes.length - from)));
    }

    @Override
    public FileInfo writeWith(Caller caller, String sandbox, String path, @Nullable String user, NewFile how, InputStream data) throws IOException {
        redoma.get(caller, sandbox);
        content.put(path, data.readAllBytes());
        return info(path);
    }

    @Override
    public FileInfo mkdir(Caller caller, String sandbox, String path, @Nullable String user, @Nullable String mode) {
        redoma.get(caller, sandbox);
        content.put(path, new byte[0]);
        return info(path);
    }

    @Override
    public void move(Caller caller, String sandbox, String from, String to, @Nullable String user) {
        redoma.get(caller, sandbox);
        info(from);
        content.put(to, content.remove(from));
    }

    @Override
    public void remove(Caller caller, String sandbox, String path, @Nullable String user, boolean recursive) {
        redoma.get(caller, sandbox);
        info(path);
        content.remove(path);
    }

    @Override
    public FileInfo attributes(Caller caller, String sandbox, String path, @Nullable String user, @Nullable String mode, @Nullable String owner, boolean recursive) {
        redoma.get(caller, sandbox);
        return info(path);
    }

    @Override
    public void archiveOut(Caller caller, String sandbox, String path, @Nullable String user, Outgoing form, OutputStream to) throws IOException {
        redoma.get(caller, sandbox);
        to.write(new byte[1024]);
    }

    @Override
    public void archiveIn(Caller caller, String sandbox, String path, @Nullable String user, InputStream tar) throws IOException {
        redoma.get(caller, sandbox);
        tar.readAllBytes();
    }

    @Override
    public Watch watch(Caller caller, String sandbox, String path, @Nullable String user, boolean recursive) {
        redoma.get(caller, sandbox);
        var events = new java.util.ArrayDeque<>(List.of(new FileEvent("create", "a", null, false), new FileEvent("root-removed", "", null, true)));
        return new Watch() {
            @Override
            public @Nullable FileEvent next(Duration atMost) {
                return events.poll();
            }

            @Override
            public void close() {}
        };
    }
}
