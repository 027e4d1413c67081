// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.TenantId;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;

/// Files that clients uploaded for their builds, by the hash that they gave them: each tenant's own, for a week after their last use. A hash is the client's
/// word; it finds what the same tenant sent under it, and nothing else. Thread-safe.
final class Uploads {
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
    private static final Duration KEPT = Duration.ofDays(7);
    /// Looked for by nobody else, and hidden from the steps.
    static final String RECIPE = ".redoma-recipe.yaml";

    private final Path home;

    Uploads(Path home) {
        this.home = home;
    }

    private Path of(TenantId tenant, String hash) {
        if (!HASH.matcher(hash).matches()) {
            throw Problem.field("hash", "is none", "64 hexadecimal digits in lower case");
        }
        return home.resolve(tenant.value()).resolve(hash);
    }

    boolean present(TenantId tenant, String hash) throws IOException {
        var file = of(tenant, hash);
        if (!Files.exists(file)) {
            return false;
        }
        Files.setLastModifiedTime(file, java.nio.file.attribute.FileTime.from(Instant.now()));
        return true;
    }

    /// There as a whole or not at all.
    void take(TenantId tenant, String hash, InputStream body) throws IOException {
        var file = of(tenant, hash);
        Files.createDirectories(file.getParent(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        sweep();
        var fresh = Files.createTempFile(file.getParent(), ".new", "");
        try {
            Files.copy(body, fresh, StandardCopyOption.REPLACE_EXISTING);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private void sweep() throws IOException {
        var old = Instant.now().minus(KEPT);
        try (var all = Files.walk(home, 2)) {
            for (var file : all.filter(Files::isRegularFile).toList()) {
                if (Files.getLastModifiedTime(file).toInstant().isBefore(old)) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /// What takes the files of one build.
    interface Building<T> {
        T of(InputStream tar) throws IOException;
    }

    /// The recipe and all that its steps copy, as one tar.
    <T> T joined(TenantId tenant, String recipe, List<String> hashes, Building<T> building) throws IOException {
        Files.createDirectories(home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        var whole = Files.createTempFile(home, "build-", ".tar");
        try {
            try (var out = new BufferedOutputStream(Files.newOutputStream(whole), 1 << 16)) {
                var tar = new JoinedTar(out);
                for (var hash : hashes.stream().distinct().toList()) {
                    if (!present(tenant, hash)) {
                        throw Problem.of(Code.FILE_NOT_FOUND, "The files " + hash + " were not uploaded, or too long ago.", "Build again with forced upload.").with("field", "filesHash").raise();
                    }
                    try (var part = Files.newInputStream(of(tenant, hash))) {
                        tar.members(part);
                    }
                }
                tar.file(RECIPE, recipe.getBytes(StandardCharsets.UTF_8));
                tar.end();
            }
            try (var in = Files.newInputStream(whole)) {
                return building.of(in);
            }
        } finally {
            Files.deleteIfExists(whole);
        }
    }
}
