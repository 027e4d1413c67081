// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import java.nio.file.Path;
import java.util.List;

/// What the container tier is opened with. `installation` names its cgroups, `runDir` (on a tmpfs, gone after a reboot) holds what it
/// must remember; `init` is the guest binary on the host and `initArgs` what follows it; `runtimes` in order of preference; `trialDir`, on an ordinary file system, for the probe's
/// throw-away instance.
public record OciConfig(
        String installation, Path runDir, Path init, List<String> initArgs, Path launcher, List<String> runtimes, Path trialDir) {

    /// Name of the file in the run directory that says whose it is.
    static final String INSTALLATION = "installation";

    public OciConfig {
        if (!isInstallation(installation)) {
            throw new IllegalArgumentException("installation: 1 to 32 of a-z0-9");
        }
        initArgs = List.copyOf(initArgs);
        runtimes = List.copyOf(runtimes);
    }

    public OciConfig(String installation, Path runDir, Path guest, Path launcher) {
        this(installation, runDir, guest, List.of(), launcher, List.of("crun", "runc"), Path.of("/var/tmp"));
    }

    static boolean isInstallation(String name) {
        return name.matches("[a-z0-9]{1,32}");
    }

    /// The same with another first program.
    OciConfig withInit(Path program, List<String> args) {
        return new OciConfig(installation, runDir, program, args, launcher, runtimes, trialDir);
    }

    Path instances() {
        return runDir.resolve("instances");
    }

    Path cleanNamespace() {
        return runDir.resolve("ns/mnt");
    }

    /// Name of the cgroup that holds those of all instances.
    String parentGroup() {
        return "redoma-" + installation;
    }
}
