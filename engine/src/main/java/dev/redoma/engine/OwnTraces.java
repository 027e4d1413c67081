// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.Change;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// What start and hand-over themselves leave is not the sandbox's change: the line of its name in `/etc/hosts`, its `/etc/machine-id`, its resolver in `/etc/resolv.conf`, what it is to trust, the
/// directory on which the guest's channel is mounted, and those of its volumes. Left out of a change set only where nothing else of these was changed.
final class OwnTraces {
    private static final String HOSTS = "/etc/hosts";
    private static final String MACHINE_ID = "/etc/machine-id";
    private static final String RESOLVER = "/etc/resolv.conf";
    private static final String CHANNEL = "/run/redoma";
    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}\n");
    private static final String OWN_NAME = "127.0.1.1";
    /// What the guest begins with where the template has no such file.
    private static final List<String> LOCALHOST = List.of("127.0.0.1\tlocalhost", "::1\tlocalhost ip6-localhost ip6-loopback");

    private OwnTraces() {}

    /// `authority`: what it trusts where its policy intercepts, or did; `mounted`: where volumes and caches lie.
    static List<Change> without(List<Change> changes, Path upper, List<Path> lowers, Optional<String> authority, List<String> mounted) {
        var left = changes.stream().filter(c -> !own(c, upper, lowers) && authority.filter(a -> TrustTraces.own(c, upper, lowers, a)).isEmpty()).toList();
        return mounted.isEmpty() ? left : left.stream().filter(c -> !mountPoint(c, left, mounted)).toList();
    }

    /// A directory on which, or on the way to which, something is mounted, and in which there is nothing else.
    private static boolean mountPoint(Change change, List<Change> all, List<String> mounted) {
        var path = change.path();
        return change.kind().equals("added") && change.type().equals("directory") && mounted.stream().anyMatch(m -> leads(path, m))
                && all.stream().noneMatch(c -> c.path().startsWith(path + "/") && mounted.stream().noneMatch(m -> leads(c.path(), m)));
    }

    private static boolean leads(String path, String mount) {
        return mount.equals(path) || mount.startsWith(path + "/");
    }

    private static boolean own(Change change, Path upper, List<Path> lowers) {
        if (change.path().equals(CHANNEL)) {
            return change.type().equals("directory") && change.kind().equals("added");
        }
        if (!change.type().equals("file") || !(change.kind().equals("changed") || change.kind().equals("added"))) {
            return false;
        }
        return switch (change.path()) {
            case HOSTS -> TreeFile.ofEtc(upper, "hosts").filter(now -> others(now).equals(before(lowers))).isPresent();
            case MACHINE_ID -> TreeFile.ofEtc(upper, "machine-id").filter(now -> ID.matcher(now).matches()).isPresent();
            case RESOLVER -> TreeFile.ofEtc(upper, "resolv.conf").filter(Network.RESOLV_CONF::equals).isPresent();
            default -> false;
        };
    }

    private static List<String> before(List<Path> lowers) {
        Optional<String> below = lowers.stream().flatMap(l -> TreeFile.ofEtc(l, "hosts").stream()).findFirst();
        List<String> lines = below.map(OwnTraces::others).orElse(List.of());
        return lines.isEmpty() ? LOCALHOST : lines;
    }

    private static List<String> others(String text) {
        return text.lines().filter(line -> !line.isEmpty() && !line.startsWith(OWN_NAME)).toList();
    }
}
