// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.engine.Instance;
import dev.redoma.engine.InstanceLimits;
import dev.redoma.engine.InstanceRef;
import dev.redoma.engine.InstanceSpec;
import dev.redoma.engine.Tier;
import dev.redoma.kernel.CgroupHost;
import dev.redoma.kernel.ExitWatch;
import dev.redoma.kernel.OwnLimits;
import dev.redoma.kernel.ProcessFacts;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/// The `container` tier. Everything it must remember lies in the run directory and in cgroup names, so a restarted server finds
/// all instances again. Thread-safe.
public final class OciTier implements Tier, AutoCloseable {
    private final OciConfig config;
    private final Runtime runtime;
    private final GroupHost groups;
    private final CpuSpread spread;
    private final CleanNamespace clean;
    private final Launch launch;
    private final ExitWatch exits = new ExitWatch();
    private final Probe probe;

    private OciTier(OciConfig config, Runtime runtime, GroupHost groups, CpuSpread spread) {
        this.config = config;
        this.runtime = runtime;
        this.groups = groups;
        this.spread = spread;
        this.clean = new CleanNamespace(config);
        this.launch = new Launch(config, runtime);
        this.probe = new Probe(true, "shared-kernel", runtime.name(), runtime.version(), List.of());
    }

    public static OciTier open(OciConfig config) {
        var runtime = config.runtimes().stream()
                .flatMap(name -> Runtime.find(name).stream())
                .findFirst()
                .orElseThrow(() -> Problem.of(Code.HOST_FAILED, "neither crun nor runc is installed", "apt-get install crun").raise());
        var groups = new GroupHost(CgroupHost.discover(), config.parentGroup());
        var tier = new OciTier(config, runtime, groups, new CpuSpread(hostCpus()));
        tier.prepare();
        return tier;
    }

    private void prepare() {
        try {
            Files.createDirectories(config.runDir());
            Files.createDirectories(
                    config.instances(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        groups.open();
        clean.open(List.of(runtime.binary(), Path.of("/usr/lib"), Path.of("/etc/ld.so.cache")));
        groups.names().forEach(name -> spread.remember(name, groups.of(name).cpus()));
    }

    private static List<Integer> hostCpus() {
        try {
            return CpuSpread.parse(Files.readString(Path.of("/sys/devices/system/cpu/online")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ExitWatch exits() {
        return exits;
    }

    @Override
    public String name() {
        return "container";
    }

    @Override
    public Probe probe() {
        return probe;
    }

    @Override
    public List<String> unenforceable(InstanceLimits limits) {
        var out = new ArrayList<String>();
        if (limits.openFiles() > OwnLimits.openFiles()) {
            out.add("openFiles");
        }
        // Version 1 blkio does not see buffered writes; version 2 would, but is not wired up yet.
        if (limits.ioBytesPerSecond() != null) {
            out.add("ioBytesPerSecond");
        }
        return out;
    }

    @Override
    public Instance create(InstanceSpec spec) {
        var refused = unenforceable(spec.limits());
        if (!refused.isEmpty()) {
            throw Problem.of(
                            Code.NOT_ENFORCEABLE,
                            "this host cannot enforce " + String.join(", ", refused),
                            "Leave that limit out, or use a host that can (`redoma doctor` says what is missing).")
                    .with("fields", refused)
                    .raise();
        }
        var bundle = bundle(spec.name());
        var box = groups.of(spec.name());
        if (bundle.exists() || box.exists()) {
            throw Problem.of(Code.WRONG_STATE, "an instance of that name exists", "Remove it first.").raise();
        }
        try {
            return start(spec, bundle, box);
        } catch (RuntimeException e) {
            undo(spec.name(), e);
            throw e;
        }
    }

    private Instance start(InstanceSpec spec, Bundle bundle, BoxGroups box) {
        var cpus = spread.deal(spec.name(), spec.limits().cpu());
        var path = runtime.placesCgroups() ? "/" + config.parentGroup() + "/" + spec.name() : null;
        bundle.write(spec, RuntimeConfig.of(spec, config.initArgs(), path), cpus);
        box.make(spec.limits(), cpus);
        int pid = launch.start(spec, bundle, runtime.placesCgroups() ? List.of() : box.dirs());
        box.started(spec.limits(), pid);
        var ref = ProcessFacts.of(pid)
                .filter(ProcessFacts::alive)
                .map(f -> new InstanceRef(spec.name(), pid, f.startTicks()))
                .orElseThrow(() -> Problem.of(Code.RUNTIME_FAILED, "the sandbox's first process ended at once", "Check the guest binary.")
                        .raise());
        return new OciInstance(this, ref, box);
    }

    /// A failed create leaves nothing; if that fails too, the first error says so.
    private void undo(String name, RuntimeException first) {
        try {
            remove(new InstanceRef(name, 0, 0));
        } catch (RuntimeException second) {
            first.addSuppressed(second);
        }
    }

    void limit(String name, BoxGroups box, InstanceLimits limits) {
        if (!unenforceable(limits).isEmpty()) {
            throw Problem.of(Code.NOT_ENFORCEABLE, "this host cannot enforce " + unenforceable(limits), "Leave it out.").raise();
        }
        var cpus = spread.deal(name, limits.cpu());
        box.change(limits, cpus);
        bundle(name).readings(limits, cpus);
    }

    @Override
    public Optional<Instance> find(InstanceRef ref) {
        var box = groups.of(ref.name());
        return sameProcess(ref) && box.holds(ref.pid()) ? Optional.of(new OciInstance(this, ref, box)) : Optional.empty();
    }

    static boolean sameProcess(InstanceRef ref) {
        return ref.pid() > 0
                && ProcessFacts.of(ref.pid()).filter(f -> f.alive() && f.startTicks() == ref.startTicks()).isPresent();
    }

    @Override
    public List<InstanceRef> all() {
        var names = new TreeSet<>(groups.names());
        try (Stream<Path> dirs = Files.list(config.instances())) {
            dirs.forEach(d -> names.add(String.valueOf(d.getFileName())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return names.stream().map(this::refOf).toList();
    }

    /// Pid 0 where its init is gone or never was.
    private InstanceRef refOf(String name) {
        return bundle(name)
                .pid()
                .flatMap(pid -> ProcessFacts.of(pid).filter(f -> groups.of(name).holds(pid)))
                .map(f -> new InstanceRef(name, f.pid(), f.startTicks()))
                .orElse(new InstanceRef(name, 0, 0));
    }

    @Override
    public void remove(InstanceRef ref) {
        var box = groups.of(ref.name());
        if (box.exists()) {
            box.freezer().kill();
            Await.until("removing cgroups", box::remove);
        }
        bundle(ref.name()).delete();
        spread.giveBack(ref.name());
    }

    private Bundle bundle(String name) {
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9_-]{0,63}")) {
            throw new IllegalArgumentException("instance name: letters, digits, - and _");
        }
        return new Bundle(config.instances().resolve(name));
    }

    /// Instances go on; another server (or this one again) finds them.
    @Override
    public void close() {
        exits.close();
    }

    /// Removes what opening made (clean namespace, parent cgroups, run directory), for tests and uninstallation. No instance may be left.
    public void uninstall() {
        close();
        clean.drop();
        groups.close();
    }
}
