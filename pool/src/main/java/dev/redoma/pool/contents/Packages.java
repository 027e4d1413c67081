// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Names;
import dev.redoma.model.wire.PackageChange;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// Packages that a disk has beside or against its layers: by dpkg's own list, and by the directories that pip and npm make. Not more than it
/// can hold; names are shown as they are, so cut and made printable. One thread.
final class Packages {
    private static final int MOST = 1000;
    private static final int STATUS = 32 << 20;
    private static final int MANIFEST = 256 << 10;
    private static final Pattern DIST = Pattern.compile("(.{1,100})-([^-]{1,60})\\.dist-info");
    private static final Pattern VERSION = Pattern.compile("\"version\"\\s*:\\s*\"([^\"\\\\]{1,60})\"");

    private final List<PackageChange> changes = new ArrayList<>();

    List<PackageChange> changes() {
        return List.copyOf(changes);
    }

    private void add(String manager, String name, String version, String change) {
        if (changes.size() < MOST) {
            changes.add(new PackageChange(manager, Names.printable(name), Names.printable(version), change));
        }
    }

    void entered(Dir parent, String name, String path) {
        String above = path.substring(0, path.length() - name.length() - 1);
        if (above.endsWith("/site-packages") || above.endsWith("/dist-packages")) {
            var dist = DIST.matcher(name);
            if (dist.matches()) {
                add("pip", dist.group(1), dist.group(2), "added");
            }
        } else if (ofNpm(above) && !name.startsWith(".") && !name.startsWith("@")) {
            String scope = above.endsWith("/node_modules") ? "" : above.substring(above.lastIndexOf('/') + 1) + "/";
            TreeText.of(parent, MANIFEST, name, "package.json").ifPresent(text -> {
                var version = VERSION.matcher(text);
                add("npm", scope + name, version.find() ? version.group(1) : "", "added");
            });
        }
    }

    private static boolean ofNpm(String directory) {
        int scope = directory.lastIndexOf("/@");
        String top = scope >= 0 && directory.indexOf('/', scope + 1) < 0 ? directory.substring(0, scope) : directory;
        return top.endsWith("/node_modules") && top.indexOf("/node_modules/") < 0;
    }

    void gone(String name, String path) {
        String above = path.substring(0, path.length() - name.length() - 1);
        var dist = DIST.matcher(name);
        if (dist.matches()) {
            add("pip", dist.group(1), dist.group(2), "removed");
        } else if (ofNpm(above)) {
            add("npm", name, "", "removed");
        }
    }

    /// The list of the topmost upper that has one, against that of the layers below (top first).
    void dpkg(List<Dir> uppers, List<Path> lowers) {
        Optional<String> now = uppers.stream().flatMap(upper -> status(upper).stream()).findFirst();
        now.ifPresent(text -> compare(lowers.stream().flatMap(lower -> status(lower).stream()).findFirst().map(Packages::installed).orElse(Map.of()), installed(text)));
    }

    private static Optional<String> status(Path lower) {
        try (Dir dir = Dir.open(lower)) {
            return status(dir);
        }
    }

    private static Optional<String> status(Dir dir) {
        return TreeText.of(dir, STATUS, "var", "lib", "dpkg", "status");
    }

    private void compare(Map<String, String> before, Map<String, String> now) {
        var names = new TreeSet<>(before.keySet());
        names.addAll(now.keySet());
        for (String name : names) {
            String old = before.get(name);
            String version = now.get(name);
            if (old == null && version != null) {
                add("dpkg", name, version, "added");
            } else if (version == null && old != null) {
                add("dpkg", name, old, "removed");
            } else if (old != null && version != null && !old.equals(version)) {
                add("dpkg", name, version, "changed");
            }
        }
    }

    private static Map<String, String> installed(String status) {
        var found = new HashMap<String, String>();
        String name = "";
        boolean installed = false;
        for (String line : status.split("\n")) {
            if (line.startsWith("Package: ")) {
                name = line.substring(9);
                installed = false;
            } else if (line.startsWith("Status: ")) {
                installed = line.endsWith(" installed");
            } else if (line.startsWith("Version: ") && installed) {
                found.put(name, line.substring(9));
            }
        }
        return found;
    }
}
