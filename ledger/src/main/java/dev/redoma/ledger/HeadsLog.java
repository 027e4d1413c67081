// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The signed heads outside the database: one JSON object a line, only ever appended to (the file may be made append-only for
/// root too, `chattr +a`). Not thread-safe.
final class HeadsLog {
    private final Path file;

    HeadsLog(Path file) {
        this.file = file;
    }

    Path file() {
        return file;
    }

    /// Durable when it returns. A line that a crash left half-written is ended first, and stays behind as noise.
    void append(List<Head> heads) throws IOException {
        boolean fresh = !Files.exists(file);
        var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (var out = FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND), owner)) {
            var text = new StringBuilder(endsHalfway() ? "\n" : "");
            heads.forEach(head -> text.append(Canonical.text(head.json())).append('\n'));
            var bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
            out.force(true);
        }
        if (fresh) {
            KeyFile.syncDirectory(file);
        }
    }

    private boolean endsHalfway() throws IOException {
        try (var in = FileChannel.open(file, StandardOpenOption.READ)) {
            var last = ByteBuffer.allocate(1);
            return in.size() > 0 && in.read(last, in.size() - 1) == 1 && last.get(0) != '\n';
        }
    }

    /// Every head in it. A line that is none is left out, which is no more than whoever may write the file could do by deleting it:
    /// the database holds each head too, and the two are compared.
    List<Head> read() throws IOException {
        var heads = new ArrayList<Head>();
        if (Files.exists(file)) {
            try (var lines = new Lines(file)) {
                for (String line = lines.next(); line != null; line = lines.next()) {
                    var head = Head.from(Json.object(line));
                    if (head != null) {
                        heads.add(head);
                    }
                }
            }
        }
        return heads;
    }
}
