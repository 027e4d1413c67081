// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.engine.InstanceSpec;
import dev.redoma.kernel.CgroupDir;
import dev.redoma.kernel.OwnLimits;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Starts one instance through the launcher and the runtime.
final class Launch {
    private static final int LAUNCHER_FAILED = 70;

    private final OciConfig config;
    private final Runtime runtime;
    private final StandingLauncher launcher;

    Launch(OciConfig config, Runtime runtime, StandingLauncher launcher) {
        this.config = config;
        this.runtime = runtime;
        this.launcher = launcher;
    }

    /// Returns the host pid of its init, which runs. `join`: groups that the launcher enters first of all.
    int start(InstanceSpec spec, Path init, Bundle bundle, List<CgroupDir> join) {
        var result = launcher.start(arguments(spec, init, bundle, join));
        if (result.code() != 0) {
            throw failure(result, bundle);
        }
        return bundle.pid().orElseThrow(() -> failure(result, bundle));
    }

    private List<String> arguments(InstanceSpec spec, Path init, Bundle bundle, List<CgroupDir> join) {
        var out = new ArrayList<String>();
        join.forEach(group -> out.add("cgroup=" + group.path().resolve("cgroup.procs")));
        out.add("namespace=" + config.cleanNamespace());
        out.add("base=" + spec.range().base());
        spec.lowers().forEach(lower -> out.add("lower=" + lower.uidBase() + ":" + lower.dir()));
        var disk = disk(spec);
        out.add("disk=" + disk);
        out.add("upper=" + disk.relativize(spec.upper()));
        out.add("work=" + disk.relativize(spec.work()));
        out.add("write=b:" + bundle.dir());
        out.add("read=channel:" + spec.channelDir());
        out.add("read=guest:" + init);
        for (int i = 0; i < spec.volumes().size(); i++) {
            var volume = spec.volumes().get(i);
            out.add("volume=" + (volume.readOnly() ? "read" : "write") + ":" + volume.dir());
            out.add("place=" + volume.path());
        }
        // From a read-only mount crun need not copy itself before it starts.
        out.add("read=runtime:" + runtime.binary());
        if (runtime.placesCgroups()) {
            out.add("read=launcher:" + config.launcher());
        }
        out.add("nosuid=" + !spec.sudo());
        out.add("files=" + Math.min(spec.limits().openFiles(), OwnLimits.openFiles()));
        out.add("--");
        out.addAll(runtime.start(spec.name()));
        return out;
    }

    /// Overlay wants upper and work on one mount: that of the directory that holds both.
    private static Path disk(InstanceSpec spec) {
        var parent = spec.upper().getParent();
        if (parent == null || !parent.equals(spec.work().getParent())) {
            throw new IllegalArgumentException("upper and work must lie beside each other");
        }
        return parent;
    }

    private RuntimeException failure(Spawn.Result result, Bundle bundle) {
        boolean ours = result.code() == LAUNCHER_FAILED;
        var said = ours ? result.output() : bundle.log().orElse(result.output());
        if (said.contains("refused: ")) {
            return Problem.of(Code.RUNTIME_FAILED, lastLine(said), "Reset the sandbox, or repair that path from a fork.").raise();
        }
        var who = ours ? "the launcher" : runtime.name();
        return Problem.of(
                        Code.RUNTIME_FAILED,
                        who + " failed (exit code " + result.code() + "): " + lastLine(said),
                        "Try again; if it stays so, ask the operator to run `redoma doctor`.")
                .raise();
    }

    private static String lastLine(String text) {
        var lines = text.strip().split("\n");
        var last = lines[lines.length - 1];
        return last.length() > 300 ? last.substring(0, 300) : last;
    }
}
