// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.Change;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What the hand-over leaves of a sandbox's trust, as long as it is byte for byte that: the authority, the template's bundle with it at the end, what keeps and sets the variables.
final class TrustTraces {
    private static final Set<String> DIRECTORIES = Set.of("/usr/local/share/ca-certificates", "/etc/ssl", "/etc/ssl/certs");

    private TrustTraces() {}

    static boolean own(Change change, Path upper, List<Path> lowers, String authority) {
        if (change.type().equals("directory")) {
            return change.kind().equals("added") && DIRECTORIES.contains(change.path());
        }
        if (!change.type().equals("file") || change.kind().equals("removed")) {
            return false;
        }
        return expected(change.path(), lowers, authority).filter(e -> TreeFile.of(upper, change.path()).filter(e::equals).isPresent()).isPresent();
    }

    private static Optional<String> expected(String path, List<Path> lowers, String authority) {
        if (TrustFiles.COPIES.contains(path)) {
            return Optional.of(authority);
        }
        return switch (path) {
            case TrustFiles.BUNDLE -> Optional.of(lowers.stream().flatMap(l -> TreeFile.of(l, path).stream()).findFirst().map(below -> bundle(below, authority)).orElse(authority));
            case TrustFiles.SUDOERS -> Optional.of(TrustFiles.sudoers());
            case TrustFiles.PROFILE -> Optional.of(TrustFiles.profile());
            default -> Optional.ofNullable(TrustFiles.others(authority).get(path));
        };
    }

    private static String bundle(String below, String authority) {
        String kept = below.replace(authority, "");
        return (kept.isEmpty() || kept.endsWith("\n") ? kept : kept + "\n") + authority;
    }
}
