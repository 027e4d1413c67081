// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.function.Supplier;

/// A secret in a file of its own, readable by its owner alone, written once and durable before it is used.
public final class KeyFile {
    private KeyFile() {}

    /// The file's text. A missing file is made only if `mayCreate`: data that another key protected must not meet a new one.
    public static String readOrCreate(Path file, boolean mayCreate, Supplier<String> fresh) {
        try {
            return read(file);
        } catch (NoSuchFileException missing) {
            if (!mayCreate) {
                throw Problem.of(Code.HOST_FAILED, "The key file " + file + " is missing, but the database was written with it.",
                        "Restore it from a backup.").raise();
            }
            try {
                create(file, fresh.get());
                return read(file);
            } catch (IOException e) {
                throw unusable(file, e);
            }
        } catch (IOException e) {
            throw unusable(file, e);
        }
    }

    static RuntimeException unusable(Path file, Throwable cause) {
        return Problem.of(Code.HOST_FAILED, "The key file " + file + " cannot be used: " + cause.getMessage(),
                "See that it is whole, and readable by the server alone.").raise(cause);
    }

    private static String read(Path file) throws IOException {
        String text = Files.readString(file, StandardCharsets.US_ASCII);
        var mode = Files.getPosixFilePermissions(file);
        if (mode.stream().anyMatch(p -> !p.name().startsWith("OWNER"))) {
            throw new IOException("others than its owner may read it (" + PosixFilePermissions.toString(mode) + ")");
        }
        return text;
    }

    private static void create(Path file, String text) throws IOException {
        var fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (var out = FileChannel.open(fresh, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), owner)) {
            out.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
            out.force(true);
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        syncDirectory(file);
    }

    static void syncDirectory(Path file) throws IOException {
        try (var directory = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            directory.force(true);
        }
    }
}
