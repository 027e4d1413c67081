// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.client.http.Body;
import dev.redoma.client.tar.Pack;
import dev.redoma.client.tar.Unpack;
import dev.redoma.client.tar.Unpacked;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Whole folders of a sandbox: links stay links, modes and times are kept, names are bytes. Thread-safe.
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
        var leftOut = new ArrayList<String>();
        var body = new Body.Stream(TAR, out -> leftOut.addAll(Pack.folder(local, out, progress)));
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

    private Target at(String path) {
        return Target.of(archive.toString()).with("path", path).with("user", user);
    }
}
