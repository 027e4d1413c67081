// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.Change;
import dev.redoma.pool.contents.JavaKeystore;
import dev.redoma.pool.contents.JavaKeystore.Entry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What the hand-over leaves of a sandbox's trust, as long as it is byte for byte that: the authority, the template's bundle with it at the end, what keeps and sets the variables.
final class TrustTraces {
    private static final Set<String> DIRECTORIES = Set.of("/usr/local/share/ca-certificates", "/etc/ssl", "/etc/ssl/certs", "/etc/ssl/certs/java", "/etc/chromium", "/etc/chromium/policies",
            "/etc/chromium/policies/managed", "/etc/opt", "/etc/opt/chrome", "/etc/opt/chrome/policies", "/etc/opt/chrome/policies/managed");

    private TrustTraces() {}

    static boolean own(Change change, Path upper, List<Path> lowers, String authority) {
        if (change.type().equals("directory")) {
            return change.kind().equals("added") && DIRECTORIES.contains(change.path());
        }
        if (change.type().equals("symlink")) {
            return change.kind().equals("added") && Optional.ofNullable(TrustFiles.links(authority).get(change.path())).filter(to -> to.equals(change.target())).isPresent();
        }
        if (!change.type().equals("file") || change.kind().equals("deleted")) {
            return false;
        }
        var now = TreeFile.of(upper, change.path());
        if (change.path().equals(JavaKeystore.PATH)) {
            return now.filter(n -> keystore(n, upper, lowers, authority)).isPresent();
        }
        if (change.path().equals(TrustFiles.BUNDLE)) {
            return now.filter(n -> bundle(n, below(lowers, TrustFiles.BUNDLE).orElse(""), authority)).isPresent();
        }
        return now.filter(n -> expected(change.path(), authority).filter(n::equals).isPresent()).isPresent();
    }

    private static Optional<String> below(List<Path> lowers, String path) {
        return lowers.stream().flatMap(l -> TreeFile.of(l, path).stream()).findFirst();
    }

    /// What the template has of it with the authorities behind, or without where they went again; where it has none, what the system trusts with them.
    private static boolean keystore(String now, Path upper, List<Path> lowers, String authority) {
        var placed = new ArrayList<Entry>();
        for (byte[] one : TrustFiles.certificates(authority, "")) {
            placed.add(JavaKeystore.trusted(JavaKeystore.alias(placed.size()), one));
        }
        var before = below(lowers, JavaKeystore.PATH);
        var kept = new ArrayList<Entry>();
        if (before.isPresent()) {
            JavaKeystore.read(bytes(before.get())).ifPresent(all -> all.stream().filter(e -> !e.placed()).forEach(kept::add));
            if (kept.isEmpty()) {
                return false;
            }
        } else {
            String bundle = TreeFile.of(upper, TrustFiles.BUNDLE).or(() -> below(lowers, TrustFiles.BUNDLE)).orElse("");
            for (byte[] root : TrustFiles.certificates(bundle, authority)) {
                kept.add(JavaKeystore.trusted("redoma-root-" + kept.size(), root));
            }
        }
        byte[] is = bytes(now);
        if (before.isPresent() && Arrays.equals(is, JavaKeystore.store(kept))) {
            return true;
        }
        kept.addAll(placed);
        return Arrays.equals(is, JavaKeystore.store(kept));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static Optional<String> expected(String path, String authority) {
        if (TrustFiles.COPIES.contains(path)) {
            return Optional.of(authority);
        }
        return switch (path) {
            case TrustFiles.SUDOERS -> Optional.of(TrustFiles.sudoers());
            case TrustFiles.PROFILE -> Optional.of(TrustFiles.profile());
            case TrustFiles.CHROMIUM, TrustFiles.CHROME -> Optional.of(TrustFiles.browser(authority));
            default -> Optional.ofNullable(TrustFiles.others(authority).get(path));
        };
    }

    /// The certificates of the template's and perhaps the authorities, in whatever order and as often as tools have put them, and no other text.
    private static boolean bundle(String now, String below, String authority) {
        var before = parts(below);
        var more = parts(authority);
        var is = parts(now);
        boolean text = is.text().stream().allMatch(line -> before.text().contains(line) || more.text().contains(line));
        var all = new HashSet<>(before.certificates());
        all.addAll(more.certificates());
        var trusted = new HashSet<>(is.certificates());
        return text && (trusted.equals(all) || trusted.equals(new HashSet<>(before.certificates())));
    }

    private record Parts(List<String> certificates, Set<String> text) {}

    private static Parts parts(String bundle) {
        var lines = new HashSet<>(List.of(TrustFiles.BLOCK.matcher(bundle).replaceAll("").split("\n")));
        lines.removeIf(String::isBlank);
        return new Parts(TrustFiles.BLOCK.matcher(bundle).results().map(b -> b.group().replaceAll("\\s", "")).toList(), lines);
    }
}
