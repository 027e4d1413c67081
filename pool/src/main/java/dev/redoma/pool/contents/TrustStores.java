// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.Open;
import dev.redoma.pool.contents.JavaKeystore.Entry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// What the platform placed in the keystore of the distribution's Java: its entries go, others stay; one that it made itself goes whole. One under another password, or in another form, has none of it by the platform.
final class TrustStores {
    private static final int MOST = 16 << 20;
    private static final List<String> DIRECTORY = List.of("etc", "ssl", "certs", "java");
    private static final String NAME = "cacerts";

    private TrustStores() {}

    static void clean(Dir upper) {
        in(upper, DIRECTORY, java -> {
            entries(java).ifPresent(entries -> without(java, entries));
            return Optional.empty();
        });
    }

    static boolean hold(Dir upper) {
        return in(upper, DIRECTORY, TrustStores::entries).isPresent();
    }

    private static <T> Optional<T> in(Dir dir, List<String> path, java.util.function.Function<Dir, Optional<T>> work) {
        return TreeText.inside(dir, path.getFirst(), inner -> path.size() > 1 ? in(inner, path.subList(1, path.size()), work) : work.apply(inner));
    }

    /// Where some of them were placed.
    private static Optional<List<Entry>> entries(Dir java) {
        return TreeText.of(java, MOST, NAME).flatMap(text -> JavaKeystore.read(text.getBytes(StandardCharsets.ISO_8859_1))).filter(all -> all.stream().anyMatch(Entry::placed));
    }

    private static void without(Dir java, List<Entry> entries) {
        var kept = entries.stream().filter(e -> !e.placed()).toList();
        if (kept.isEmpty()) {
            java.unlink(NAME);
            return;
        }
        try (Fd file = java.openAt(NAME, Open.WRONLY | Open.NONBLOCK, 0)) {
            file.truncate(0);
            file.write(JavaKeystore.store(kept));
        }
    }
}
