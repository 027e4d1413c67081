// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.kernel.CgroupDir;
import dev.redoma.kernel.CgroupHost;
import dev.redoma.kernel.CgroupMoves;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/// The groups of one installation on this host: a parent in each hierarchy, and below it one group for each instance.
final class GroupHost {
    private static final Set<String> NEEDED = Set.of("cpu", "cpuset", "memory", "pids");

    private final CgroupHost host;
    private final String parent;

    GroupHost(CgroupHost host, String parent) {
        this.host = host;
        this.parent = parent;
    }

    CgroupHost host() {
        return host;
    }

    /// Controllers that limits need and this host does not give.
    List<String> missing() {
        var have = host.pureV2() ? v2Controllers() : host.v1().keySet();
        return NEEDED.stream().filter(c -> !have.contains(c)).sorted().toList();
    }

    private Set<String> v2Controllers() {
        return host.v2().flatMap(p -> new CgroupDir(p).find("cgroup.controllers")).map(t -> Set.of(t.split(" "))).orElse(Set.of());
    }

    boolean canLimitIo() {
        return host.pureV2() && v2Controllers().contains("io");
    }

    /// False where every change of group costs a grace period (version 1 alone, Linux before 6.0).
    boolean favourMoves() {
        return host.v2().map(CgroupMoves::favour).orElse(false);
    }

    /// Makes the parents, ready for limits on what is below.
    void open() {
        if (host.pureV2()) {
            var root = new CgroupDir(host.v2().orElseThrow());
            delegate(root);
            delegate(makeBelow(root));
            return;
        }
        host.v2().ifPresent(p -> makeBelow(new CgroupDir(p)));
        v1Trees().forEach((controller, root) -> {
            var group = makeBelow(root);
            if (controller.equals("cpuset")) {
                inheritCpus(root, group);
            }
        });
    }

    private CgroupDir makeBelow(CgroupDir root) {
        var group = root.child(parent);
        group.make();
        return group;
    }

    private void delegate(CgroupDir group) {
        var want = new TreeSet<>(NEEDED);
        if (v2Controllers().contains("io")) {
            want.add("io");
        }
        var have = Set.of(group.get("cgroup.subtree_control").split(" "));
        want.removeAll(have);
        if (!want.isEmpty()) {
            group.set("cgroup.subtree_control", String.join(" ", want.stream().map(c -> "+" + c).toList()));
        }
    }

    private static void inheritCpus(CgroupDir from, CgroupDir to) {
        for (var file : List.of("cpuset.cpus", "cpuset.mems")) {
            if (to.get(file).isEmpty()) {
                to.set(file, from.get(file));
            }
        }
    }

    /// The version 1 hierarchies used: those of limits, and the freezer and CPU clock where no version 2 tree has them.
    private Map<String, CgroupDir> v1Trees() {
        var out = new LinkedHashMap<String, CgroupDir>();
        var wanted = new TreeSet<>(NEEDED);
        if (host.v2().isEmpty()) {
            wanted.addAll(Set.of("freezer", "cpuacct"));
        }
        new TreeMap<>(host.v1()).forEach((controller, at) -> {
            if (wanted.contains(controller)) {
                out.put(controller, new CgroupDir(at));
            }
        });
        return out;
    }

    /// Names of the version 1 hierarchies in which sandboxes have no group of their own: there they would see the host's.
    List<String> unconfined() {
        var own = v1Trees().values().stream().map(CgroupDir::path).toList();
        return Stream.concat(host.v1().values().stream(), host.v1Others().stream())
                .filter(p -> !own.contains(p))
                .map(p -> String.valueOf(p.getFileName()))
                .distinct()
                .toList();
    }

    BoxGroups of(String name) {
        if (host.pureV2()) {
            return new V2Groups(new CgroupDir(host.v2().orElseThrow()).child(parent).child(name), "/" + parent + "/" + name);
        }
        var v1 = new LinkedHashMap<String, CgroupDir>();
        v1Trees().forEach((controller, root) -> v1.put(controller, root.child(parent).child(name)));
        var v2 = host.v2().map(p -> new CgroupDir(p).child(parent).child(name));
        var others = Stream.concat(host.v1().values().stream(), host.v1Others().stream())
                .map(p -> new CgroupDir(p).child(parent).child(name))
                .filter(d -> !v1.containsValue(d))
                .distinct()
                .toList();
        return new V1Groups(v1, v2, others, "/" + parent + "/" + name);
    }

    /// Names of all instances that have a group in any hierarchy.
    Set<String> names() {
        var out = new TreeSet<String>();
        parents().forEach(p -> p.children().forEach(c -> out.add(String.valueOf(c.path().getFileName()))));
        return out;
    }

    private List<CgroupDir> parents() {
        var out = new ArrayList<CgroupDir>();
        Stream.of(host.v2().stream(), host.v1().values().stream(), host.v1Others().stream())
                .flatMap(s -> s)
                .distinct()
                .forEach(p -> out.add(new CgroupDir(p).child(parent)));
        return out;
    }

    /// Removes the parents if no instance is left.
    void close() {
        parents().forEach(CgroupDir::tryRemove);
    }
}
