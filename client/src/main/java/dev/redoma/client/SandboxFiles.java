// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.client.http.Body;
import dev.redoma.model.wire.FileInfo;
import dev.redoma.model.wire.Page;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Files of one running sandbox, or of a volume; relative paths begin at the user's home, in a volume all at its root. Thread-safe; `as` gives
/// another user's view.
public final class SandboxFiles {
    private static final String OCTETS = "application/octet-stream";

    private final Api api;
    /// `/v1/sandboxes/` or `/v1/volumes/`.
    private final String kind;
    private final String owner;
    private final @Nullable String user;

    SandboxFiles(Api api, String kind, String owner) {
        this(api, kind, owner, null);
    }

    private SandboxFiles(Api api, String kind, String owner, @Nullable String user) {
        this.api = api;
        this.kind = kind;
        this.owner = owner;
        this.user = user;
    }

    /// The same files, accessed as another user of the sandbox (null: as commands do).
    public SandboxFiles as(@Nullable String other) {
        return new SandboxFiles(api, kind, owner, other);
    }

    public FileInfo stat(String path, boolean follow) {
        return api.get(at("/files/stat", path).with("follow", follow), FileInfo.class);
    }

    public List<FileInfo> list(String path, int depth) {
        Page<FileInfo> page = api.getList(at("/files/list", path).with("depth", depth), Page.class, FileInfo.class);
        return page.items();
    }

    /// The whole of a file of at most 64 MiB.
    public byte[] read(String path) {
        try (var answer = api.open(api.plain("GET", at("/files", path)))) {
            return answer.bytes();
        } catch (IOException e) {
            throw api.lost(e);
        }
    }

    /// Copies a file to a stream; an IOException is the stream's own or a broken connection.
    public void read(String path, OutputStream to) throws IOException {
        read(path, to, Body.Progress.NONE);
    }

    public void read(String path, OutputStream to, Body.Progress progress) throws IOException {
        try (var answer = api.open(api.plain("GET", at("/files", path)))) {
            var length = answer.header("Content-Length");
            long total = length == null ? -1 : Long.parseLong(length);
            var buffer = new byte[256 * 1024];
            long done = 0;
            for (int n = answer.body().read(buffer); n >= 0; n = answer.body().read(buffer)) {
                to.write(buffer, 0, n);
                progress.at(done += n, total);
            }
        }
    }

    /// Replaces the local file in one step, once everything has arrived.
    public void download(String path, Path local, Body.Progress progress) throws IOException {
        WholeFile.write(local, out -> read(path, out, progress));
    }

    /// `mode` is octal such as `0644`; null: that for a new file.
    public FileInfo write(String path, byte[] bytes, @Nullable String mode) {
        return put(path, mode, new Body.Bytes(OCTETS, bytes));
    }

    /// With these attributes (`user.*`), beside those that the file has already.
    public FileInfo write(String path, byte[] bytes, @Nullable String mode, Map<String, String> xattrs) {
        var target = at("/files", path).with("mode", mode);
        for (var attribute : xattrs.entrySet()) {
            target = target.with("xattr", attribute.getKey() + "=" + attribute.getValue());
        }
        return api.send(api.plain("PUT", target).body(new Body.Bytes(OCTETS, bytes)).patience(api.patience().work()), FileInfo.class);
    }

    public FileInfo write(String path, Body.Source source, @Nullable String mode) {
        return put(path, mode, new Body.Stream(OCTETS, source));
    }

    public FileInfo upload(Path local, String path, @Nullable String mode, Body.Progress progress) {
        return put(path, mode, new Body.FileBody(OCTETS, local, progress));
    }

    private FileInfo put(String path, @Nullable String mode, Body body) {
        var request = api.plain("PUT", at("/files", path).with("mode", mode)).body(body).patience(api.patience().work());
        return api.send(request, FileInfo.class);
    }

    public FileInfo mkdir(String path, @Nullable String mode) {
        return api.post(at("/files/mkdir"), body("path", path, "mode", mode), FileInfo.class);
    }

    public void move(String from, String to) {
        api.send("POST", at("/files/move"), body("from", from, "to", to));
    }

    public void remove(String path, boolean recursive) {
        api.send("DELETE", at("/files", path).with("recursive", recursive), null);
    }

    /// A null leaves that attribute as it is.
    public FileInfo attributes(String path, @Nullable String mode, @Nullable String owner, boolean recursive) {
        var body = body("path", path, "mode", mode, "owner", owner);
        body.put("recursive", recursive);
        return api.post(at("/files/attributes"), body, FileInfo.class);
    }

    /// Whole folders, up and down.
    public Folders folders() {
        return new Folders(api, at("/archive"), user);
    }

    /// Returns when the watch is in force.
    public FileWatch watch(String path, boolean recursive) throws IOException {
        var target = at("/files/watch", path).with("recursive", recursive);
        return FileWatch.open(api, api.plain("GET", target).header("Accept", "text/event-stream").patience(api.patience().silence()));
    }

    private Map<String, Object> body(@Nullable String... pairs) {
        var map = new LinkedHashMap<String, Object>();
        for (int i = 0; i < pairs.length; i += 2) {
            var value = pairs[i + 1];
            if (value != null) {
                map.put(String.valueOf(pairs[i]), value);
            }
        }
        if (user != null) {
            map.put("user", user);
        }
        return map;
    }

    private Target at(String rest) {
        return Target.of(kind, owner, rest);
    }

    private Target at(String rest, String path) {
        return at(rest).with("path", path).with("user", user);
    }
}
