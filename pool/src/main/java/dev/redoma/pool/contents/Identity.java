// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Stat;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// What makes one machine this machine, and what makes it trust others: never part of a saved disk, whatever a policy says. What the
/// template's layers have of it shows again.
final class Identity {
    private static final int DEPTH = 32;
    private static final int NAMES = 100_000;

    /// A directory, and which names in it.
    private record Place(List<String> directory, Predicate<String> names) {}

    /// The authority of the platform's own gateway, and what makes programs look for it.
    private static final List<Place> TRUST = List.of(
            new Place(List.of("usr", "local", "share", "ca-certificates"), name -> name.matches("redoma(-[0-9]+)?\\.crt")),
            new Place(List.of("etc", "ssl", "certs"), name -> name.matches("38b0e9fd\\.0|redoma(-[0-9]+)?\\.pem")),
            new Place(List.of("etc", "pki", "ca-trust", "source", "anchors"), "redoma.crt"::equals),
            new Place(List.of("etc", "sudoers.d"), "redoma"::equals),
            new Place(List.of("etc", "profile.d"), "redoma-trust.sh"::equals),
            new Place(List.of("etc", "chromium", "policies", "managed"), "redoma.json"::equals),
            new Place(List.of("etc", "opt", "chrome", "policies", "managed"), "redoma.json"::equals));
    private static final List<Place> MACHINE = List.of(
            new Place(List.of("etc"), "machine-id"::equals),
            new Place(List.of("var", "lib", "dbus"), "machine-id"::equals),
            new Place(List.of("etc", "ssh"), name -> name.startsWith("ssh_host_")),
            new Place(List.of("etc", "dropbear"), name -> name.endsWith("_host_key")),
            new Place(List.of("var", "lib", "systemd"), List.of("random-seed", "credential.secret")::contains),
            new Place(List.of("var", "lib", "urandom"), "random-seed"::equals),
            new Place(List.of("var", "lib"), "random-seed"::equals));

    private Identity() {}

    static void remove(Dir upper) {
        MACHINE.forEach(place -> remove(upper, place.directory(), place.names()));
        TRUST.forEach(place -> remove(upper, place.directory(), place.names()));
        TrustBundles.clean(upper);
        TrustStores.clean(upper);
    }

    /// True if some of it is still there.
    static boolean isThere(Dir upper) {
        return TrustBundles.hold(upper) || TrustStores.hold(upper) || java.util.stream.Stream.concat(MACHINE.stream(), TRUST.stream()).anyMatch(place -> isThere(upper, place.directory(), place.names()));
    }

    private static void remove(Dir dir, List<String> path, Predicate<String> names) {
        TreeText.inside(dir, path.getFirst(), inner -> {
            if (path.size() > 1) {
                remove(inner, path.subList(1, path.size()), names);
            } else {
                inner.list(NAMES).stream().filter(names).forEach(name -> entry(inner, name, 0));
            }
            return Optional.empty();
        });
    }

    private static void entry(Dir dir, String name, int depth) {
        if (dir.stat(name).type() != Stat.Type.DIRECTORY) {
            dir.unlink(name);
            return;
        }
        if (depth >= DEPTH) {
            throw new IllegalStateException("a directory in the place of a machine's identity is deeper than " + DEPTH);
        }
        try (Dir inner = dir.dirAt(name)) {
            inner.list(NAMES).forEach(below -> entry(inner, below, depth + 1));
        }
        dir.rmdir(name);
    }

    private static boolean isThere(Dir dir, List<String> path, Predicate<String> names) {
        return TreeText.inside(dir, path.getFirst(), inner -> Optional.of(path.size() > 1
                ? isThere(inner, path.subList(1, path.size()), names)
                : inner.list(NAMES).stream().anyMatch(names))).orElse(false);
    }
}
