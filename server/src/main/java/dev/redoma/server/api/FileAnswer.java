// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.engine.Files;
import dev.redoma.http.ByteRange;
import dev.redoma.http.Exchange;
import dev.redoma.http.Json;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.FileInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// Sends a file's bytes with its facts and its exact name.
final class FileAnswer {
    private static final String BYTES = "application/octet-stream";

    private final Files files;

    FileAnswer(Files files) {
        this.files = files;
    }

    void send(Call call) throws IOException {
        var range = ByteRange.of(call.http().header("Range"));
        if (call.http().head()) {
            head(call);
        } else if (range.isPresent()) {
            range(call, range.get());
        } else {
            read(call, 0, Long.MAX_VALUE, info -> begin(call, info, 200, info.size() == 0 ? -1 : info.size()));
        }
    }

    private void head(Call call) throws IOException {
        var info = files.stat(call.caller(), call.sandbox(), FileRoutes.path(call), FileRoutes.user(call), true);
        begin(call, info, 200, info.size());
    }

    private void range(Call call, ByteRange range) throws IOException {
        var before = files.stat(call.caller(), call.sandbox(), FileRoutes.path(call), FileRoutes.user(call), true);
        long offset = range.offset(before.size());
        long length = range.length(before.size());
        if (length <= 0) {
            call.http().set("Content-Range", "bytes */" + before.size()).problem(
                    Problem.of(Code.RANGE_NOT_SATISFIABLE, "The file has " + before.size() + " bytes.", "Ask for bytes that are there.").with("size", before.size()));
            return;
        }
        read(call, offset, length, info -> {
            call.http().set("Content-Range", "bytes " + offset + "-" + (offset + length - 1) + "/" + before.size());
            return begin(call, info, 206, length);
        });
    }

    private void read(Call call, long offset, long length, Files.Header header) throws IOException {
        try {
            files.read(call.caller(), call.sandbox(), FileRoutes.path(call), FileRoutes.user(call), offset, length, header);
        } catch (GuardedOutput.Enough grown) {
            // the file grew while it was read; what was promised is out
        }
    }

    /// `length` -1: not known (the files of /proc say 0 and have content).
    private static GuardedOutput begin(Call call, FileInfo info, int status, long length) {
        Exchange http = call.http();
        http.set("X-Redoma-File", Json.ascii(info.bare()))
                .set("Content-Disposition", attachment(FileRoutes.name(info.path())))
                .set("X-Content-Type-Options", "nosniff")
                .set("Accept-Ranges", "bytes");
        return new GuardedOutput(http.stream(status, BYTES, length), call.guard(), length < 0 ? Long.MAX_VALUE : length);
    }

    /// RFC 6266: the exact name as `filename*`, a plain stand-in for those that cannot read it.
    static String attachment(String name) {
        var plain = name.replaceAll("[^A-Za-z0-9._-]", "_");
        var exact = new StringBuilder();
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean free = c < 128 && (Character.isLetterOrDigit(c) || "!#$&+-.^_`|~".indexOf(c) >= 0);
            exact.append(free ? String.valueOf(c) : String.format("%%%02X", b & 0xff));
        }
        return "attachment; filename=\"" + plain + "\"; filename*=UTF-8''" + exact;
    }
}
