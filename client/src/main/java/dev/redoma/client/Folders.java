// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.client.http.Body;
import dev.redoma.client.tar.Pack;
import dev.redoma.client.tar.Unpack;
import dev.redoma.client.tar.Unpacked;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Whole folders of a sandbox or volume: links stay links, modes and times are kept, names are bytes. Thread-safe.
public final class Folders {
    private static final String TAR = "application/x-tar";
    private static final long MOST_BYTES = 64L << 30;

    private final Api api;
    private final Target archive;
    private final @Nullable String user;

    Folders(Api api, Target archive, @Nullable String user) {
        this.api = api;
        this.archive = archive;
        this.user = user;
    }

    /// What is below `local` goes below `path`, which is made if absent. Returns what cannot be sent (sockets, FIFOs, devices).
    public List<String> upload(Path local, String path, LongConsumer progress) throws IOException {
        return upload(local, path, false, progress);
    }

    /// `ignoring`: without what the folder's `.gitignore` files name.
    public List<String> upload(Path local, String path, boolean ignoring, LongConsumer progress) throws IOException {
        var leftOut = new ArrayList<String>();
        var body = new Body.Stream(TAR, out -> leftOut.addAll(Pack.folder(local, ignoring, out, progress)));
        try (var answer = api.open(api.plain("PUT", at(path)).body(body).patience(api.patience().work()))) {
            answer.bytes();
        }
        return leftOut;
    }

    /// What is below `path` goes below `local`; nothing outside it is written, whatever the sandbox sends (at most 64 GiB).
    public Unpacked download(String path, Path local, LongConsumer progress) throws IOException {
        try (var answer = api.open(api.plain("GET", at(path)))) {
            return Unpack.into(local, new BufferedInputStream(answer.body(), 128 * 1024), MOST_BYTES, progress);
        }
    }

    /// What is below `path` as an archive; it is as hostile as the sandbox.
    public void export(String path, ArchiveOptions options, OutputStream to) throws IOException {
        try (var answer = api.open(api.plain("GET", options.apply(at(path))))) {
            answer.body().transferTo(to);
        }
    }

    /// Unpacks a tar (plain, gzip, zstd) or zip below `path`: all of it, or nothing where a member cannot be taken.
    public void unpack(Path archive, String path, Body.Progress progress) throws IOException {
        send(new Body.FileBody(TAR, archive, progress), path);
    }

    public void unpack(Body.Source archive, String path) throws IOException {
        send(new Body.Stream(TAR, archive), path);
    }

    private void send(Body body, String path) throws IOException {
        try (var answer = api.open(api.plain("PUT", at(path)).body(body).patience(api.patience().work()))) {
            answer.bytes();
        }
    }

    private Target at(String path) {
        return Target.of(archive.toString()).with("path", path).with("user", user);
    }
}
