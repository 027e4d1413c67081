// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.http.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// How far something was sent to one place, in a file: where the place is another, from the beginning. Losing it sends again what was sent. Not thread-safe.
final class SentSoFar {
    private final Path file;
    private final String to;
    private @Nullable TreeMap<String, Long> known;

    SentSoFar(Path file, URI to) {
        this.file = file;
        this.to = to.toString();
    }

    /// What is in the file.
    public record Kept(String to, Map<String, Long> sent) {}

    long of(String what) throws IOException {
        return all().getOrDefault(what, 0L);
    }

    void now(Map<String, Long> further) throws IOException {
        var all = all();
        all.putAll(further);
        PrivateFile.write(file, Json.bytes(new Kept(to, all)));
    }

    private TreeMap<String, Long> all() throws IOException {
        if (known == null) {
            known = new TreeMap<>();
            if (Files.exists(file)) {
                try {
                    var kept = Json.read(Files.readAllBytes(file), Kept.class);
                    known.putAll(kept.to().equals(to) ? kept.sent() : Map.of());
                } catch (dev.redoma.model.RedomaException unreadable) {
                    known.clear();
                }
            }
        }
        return known;
    }
}
