// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// An OCI runtime found on this host. `placesCgroups`: it insists on making the cgroups itself (runc), else the launcher puts it into
/// ours before it starts (crun, which costs less so). `compiledFilter`: it takes our filter as a program.
record Runtime(String name, Path binary, String version, boolean placesCgroups, boolean compiledFilter) {

    /// The ways to use the runtime of that name, the cheaper first; none if it is not installed.
    static List<Runtime> find(String name) {
        return Stream.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
                .map(dir -> Path.of(dir, name))
                .filter(Files::isExecutable)
                .findFirst()
                .map(binary -> new Runtime(name, binary, versionOf(binary), name.equals("runc"), false))
                .map(plain -> plain.placesCgroups ? List.of(plain) : List.of(plain.compiled(), plain))
                .orElse(List.of());
    }

    private Runtime compiled() {
        return new Runtime(name, binary, version, placesCgroups, true);
    }

    private static String versionOf(Path binary) {
        var words = Spawn.run(List.of(binary.toString(), "--version")).output().split("\\s+");
        return words.length > 2 && words[1].equals("version") ? words[2] : "unknown";
    }

    /// Starts the bundle at `/run/b` (seen from the launcher's namespace) and leaves its init running. All that the runtime remembers
    /// lies in that namespace and goes with it: instances are ended by their cgroup, never through the runtime.
    List<String> start(String container) {
        var out = new ArrayList<>(List.of("/run/runtime", "--root=/run/state", "--log=/run/b/log"));
        if (!placesCgroups) {
            out.add("--cgroup-manager=disabled");
        }
        out.addAll(List.of("run", "-d", "--bundle=/run/b", "--pid-file=/run/b/pid", container));
        return out;
    }
}
