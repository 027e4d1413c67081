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

    /// Whole lines of heads from that byte on, some `most` bytes of them. What is no head is left out.
    Ledger.HeadLines since(long from, int most) throws IOException {
        if (!Files.exists(file)) {
            return new Ledger.HeadLines(List.of(), 0);
        }
        try (var in = FileChannel.open(file, StandardOpenOption.READ)) {
            long at = from > in.size() ? 0 : from; // another file than before
            var bytes = ByteBuffer.allocate((int) Math.min(most, in.size() - at));
            while (bytes.hasRemaining() && in.read(bytes, at + bytes.position()) > 0) {
                // until it is full
            }
            String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
            int end = text.lastIndexOf('\n') + 1;
            var heads = text.substring(0, end).lines().filter(line -> Head.from(Json.object(line)) != null).toList();
            return new Ledger.HeadLines(heads, at + text.substring(0, end).getBytes(StandardCharsets.UTF_8).length);
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
