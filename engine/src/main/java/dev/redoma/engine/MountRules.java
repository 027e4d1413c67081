// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.VolumeMount;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Where volumes may lie in a sandbox: at absolute paths of plain components, none above another, none over what the system or the guest needs.
final class MountRules {
    private static final int MOST = 16;
    private static final int LONGEST = 1024;
    /// Nothing in them or in their place.
    private static final Set<String> RESERVED = Set.of("proc", "sys", "dev", "run", "etc");
    /// Nothing in their place.
    private static final Set<String> NEEDED = Set.of("/", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/usr/bin", "/usr/sbin", "/usr/lib");
    private static final String ALLOWED = "an absolute path without '.', '..' or doubled slashes, not in /proc, /sys, /dev, /run or /etc, and not the place of a system directory";

    private MountRules() {}

    /// Refuses the first that cannot be, by its field. `taken`: paths where something else goes.
    static List<VolumeMount> check(@Nullable List<VolumeMount> asked, List<String> taken) {
        if (asked == null) {
            return List.of();
        }
        if (asked.size() > MOST) {
            throw Problem.field("volumes", asked.size() + " volumes", "at most " + MOST);
        }
        for (int i = 0; i < asked.size(); i++) {
            if (asked.get(i) == null) {
                throw Problem.field("volumes[" + i + "]", "is null", "an object");
            }
            notOfTheHost("volumes[" + i + "]", asked.get(i));
            path("volumes[" + i + "].path", asked.get(i).path());
            for (var other : taken) {
                apart(i, asked.get(i).path(), other);
            }
            for (int j = 0; j < i; j++) {
                apart(i, asked.get(i), asked.get(j));
            }
        }
        return List.copyOf(asked);
    }

    /// Whoever may name a directory of the host reads and changes what lies there, whatever the sandbox's walls are.
    private static void notOfTheHost(String field, VolumeMount asked) {
        boolean path = asked.host() == null && asked.name() != null && (asked.name().startsWith("/") || asked.name().startsWith(".") || asked.name().startsWith("~"));
        if (asked.host() != null || path) {
            throw Problem.of(Code.NOT_OFFERED, field + (path ? ".name: '" : ".host: '") + RequestRules.shown(path ? asked.name() : String.valueOf(asked.host()))
                                    + "' is a directory of the host, and these are not mounted: a sandbox would read and change the host's own files.",
                            "Upload it ('redoma run --workspace DIR', or 'redoma import FILE volume/NAME:/' into a volume) and fetch what came of it ('redoma export').")
                    .with("field", field + (path ? ".name" : ".host")).with("allowed", "the name or id of a volume").raise();
        }
    }

    private static void path(String field, String path) {
        boolean plain = path.startsWith("/") && path.length() <= LONGEST && path.chars().noneMatch(Character::isISOControl)
                && dev.redoma.kernel.Names.valid(path);
        boolean normal = plain && List.of(path.substring(1).split("/", -1)).stream().noneMatch(p -> p.isEmpty() || p.equals(".") || p.equals(".."));
        if (!normal || NEEDED.contains(path) || RESERVED.contains(path.substring(1).split("/", 2)[0])) {
            throw Problem.field(field, "'" + RequestRules.shown(path) + "' is no place for a volume", ALLOWED);
        }
    }

    private static void apart(int i, VolumeMount one, VolumeMount other) {
        if (one.name().equals(other.name())) {
            throw Problem.field("volumes[" + i + "].name", "'" + RequestRules.shown(one.name()) + "' is there twice", "each volume once");
        }
        apart(i, one.path(), other.path());
    }

    private static void apart(int i, String path, String other) {
        if ((path + "/").startsWith(other + "/") || (other + "/").startsWith(path + "/")) {
            throw Problem.field("volumes[" + i + "].path", "lies at, above or below '" + RequestRules.shown(other) + "'", "paths apart from each other");
        }
    }
}
