// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.model.wire.Finding;
import java.util.List;
import java.util.regex.Pattern;

/// Published holes of runtimes that touch the way we use them, by upstream version. Distributions mend old versions without changing their
/// number, so a hit is a warning to look, not a proof. State of the table: 2025-11.
final class KnownHoles {
    private static final Pattern NUMBERS = Pattern.compile("(\\d+)\\.(\\d+)(?:\\.(\\d+))?");

    private record Hole(String runtime, String fixedIn, String id, String what) {}

    private static final List<Hole> TABLE = List.of(
            new Hole("runc", "1.1.12", "CVE-2024-21626", "a leaked descriptor leads out of the container"),
            new Hole("runc", "1.2.8", "CVE-2025-31133, CVE-2025-52565, CVE-2025-52881", "races in masked paths, /dev/console and /proc writes"),
            new Hole("crun", "1.4.4", "CVE-2022-27650", "processes start with inheritable capabilities"));

    private KnownHoles() {}

    static List<Finding> of(String runtime, String version) {
        return TABLE.stream()
                .filter(hole -> hole.runtime.equals(runtime) && before(version, hole.fixedIn))
                .map(hole -> new Finding(
                        "isolation",
                        runtime + " " + version,
                        "warn",
                        hole.id + ": " + hole.what + " (mended upstream in " + hole.fixedIn + "; a distribution's version may hold the fix)",
                        "apt-get install --only-upgrade " + runtime))
                .toList();
    }

    static boolean before(String version, String other) {
        var a = NUMBERS.matcher(version);
        var b = NUMBERS.matcher(other);
        if (!a.find() || !b.find()) {
            return false;
        }
        for (int i = 1; i <= 3; i++) {
            int left = number(a.group(i));
            int right = number(b.group(i));
            if (left != right) {
                return left < right;
            }
        }
        return false;
    }

    private static int number(@org.jspecify.annotations.Nullable String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }
}
