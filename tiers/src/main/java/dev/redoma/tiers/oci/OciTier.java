// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.engine.Instance;
import dev.redoma.engine.InstanceLimits;
import dev.redoma.engine.InstanceRef;
import dev.redoma.engine.InstanceSpec;
import dev.redoma.engine.Tier;
import dev.redoma.kernel.CgroupHost;
import dev.redoma.kernel.DiskDevices;
import dev.redoma.kernel.ExitWatch;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.OwnLimits;
import dev.redoma.kernel.ProcessFacts;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
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
    private final Optional<Runtime> runtime;
    private final GroupHost groups;
    private final CpuSpread spread;
    private final CleanNamespace clean;
    private final FirstPrograms guests;
    private final ExitWatch exits = new ExitWatch();
    private final Unmounting unmounting = new Unmounting();
    private final StandingLauncher launcher;
    private final Probe probe;

    private OciTier(OciConfig config, GroupHost groups, CpuSpread spread) {
        this.config = config;
        this.groups = groups;
        this.spread = spread;
        this.clean = new CleanNamespace(config);
        this.guests = new FirstPrograms(config.init(), config.runDir().resolve("guests"));
        this.launcher = new StandingLauncher(config.launcher());
        var readiness = new Readiness();
        this.runtime = choose(readiness);
        this.probe = readiness.result(runtime);
        groups.names().forEach(name -> spread.remember(name, groups.of(name).cpus()));
    }

    /// Opens also where the host cannot run it: `probe` then says what is missing, and `create` refuses.
    public static OciTier open(OciConfig config) {
        return open(config, CgroupHost.discover());
    }

    /// Whose run directory that is, if a tier was opened on it since the host started.
    public static Optional<String> installationOf(Path runDir) {
        try {
            return Optional.of(Files.readString(runDir.resolve(OciConfig.INSTALLATION)).strip()).filter(OciConfig::isInstallation);
        } catch (NoSuchFileException never) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static OciTier open(OciConfig config, CgroupHost cgroups) {
        return new OciTier(config, new GroupHost(cgroups, config.parentGroup()), new CpuSpread(hostCpus()));
    }

    /// The first runtime that holds what it must, tried in a throw-away instance.
    private Optional<Runtime> choose(Readiness readiness) {
        readiness.cgroups(groups);
        var found = new ArrayList<Runtime>();
        for (var name : config.runtimes()) {
            var ways = Runtime.find(name);
            found.addAll(ways);
            if (ways.isEmpty()) {
                readiness.absent(name);
            }
        }
        if (!groups.missing().isEmpty() || found.isEmpty() || !prepared(readiness, found)) {
            return Optional.empty();
        }
        var trialConfig = config.withInit(config.launcher(), List.of("inside"));
        for (var candidate : found) {
            var trial = new Trial(config.trialDir(), spec -> start(spec, trialConfig.init(), candidate, trialConfig), groups::of);
            var faults = trial.run();
            readiness.tried(candidate, faults);
            if (faults.isEmpty()) {
                readiness.network(trial.networkFault());
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    private boolean prepared(Readiness readiness, List<Runtime> found) {
        try {
            Files.createDirectories(config.runDir());
            Files.createDirectories(
                    config.instances(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Files.writeString(config.runDir().resolve(OciConfig.INSTALLATION), config.installation() + "\n");
            groups.open();
            readiness.moves(groups.favourMoves());
            var keep = new ArrayList<>(List.of(Path.of("/usr/lib"), Path.of("/etc/ld.so.cache")));
            found.forEach(r -> keep.add(r.binary()));
            clean.open(keep);
            return true;
        } catch (RedomaException e) {
            readiness.missing("host", String.valueOf(e.getMessage()), e.problem().remedy());
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
        if (limits.ioBytesPerSecond() != null && !groups.canLimitIo()) {
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
        var chosen = runtime.orElseThrow(() -> Problem.of(
                        Code.NOT_OFFERED, "this host cannot run the container tier", "Run `redoma doctor` and do what it says.")
                .raise());
        return start(spec, guests.of(spec.circle()), chosen, config);
    }

    private Instance start(InstanceSpec spec, Path init, Runtime by, OciConfig with) {
        var bundle = bundle(spec.name());
        var box = groups.of(spec.name());
        if (bundle.exists() || box.exists()) {
            throw Problem.of(Code.WRONG_STATE, "an instance of that name exists", "Remove it first.").raise();
        }
        try {
            return start(spec, init, by, with, bundle, box);
        } catch (RuntimeException e) {
            undo(spec.name(), e);
            throw e;
        }
    }

    /// The parents may have gone with a server of this installation that stopped when no instance was left.
    private void makeGroups(BoxGroups box, InstanceSpec spec, List<Integer> cpus) {
        try {
            box.make(spec.limits(), cpus);
        } catch (UncheckedIOException e) {
            if (!(e.getCause() instanceof NoSuchFileException)) {
                throw e;
            }
            groups.open();
            box.make(spec.limits(), cpus);
        }
    }

    private Instance start(InstanceSpec spec, Path init, Runtime by, OciConfig with, Bundle bundle, BoxGroups box) {
        var cpus = spread.deal(spec.name(), spec.limits().cpu());
        var path = by.placesCgroups() ? "/" + config.parentGroup() + "/" + spec.name() : null;
        // runc leaves a group in every hierarchy.
        var unconfined = by.placesCgroups() ? List.<String>of() : groups.unconfined();
        bundle.write(spec, RuntimeConfig.of(spec, with.initArgs(), path, by.compiledFilter(), unconfined), cpus);
        if (groups.canLimitIo()) {
            bundle.disk(spec.upper());
        }
        makeGroups(box, spec, cpus);
        int pid = new Launch(with, by, launcher).start(spec, init, bundle, by.placesCgroups() ? List.of() : box.dirs());
        box.started(spec.limits(), pid);
        bandwidth(spec.limits(), bundle, box);
        Await.until("starting the first program", () -> FirstProgram.leftRuntime(pid, by.binary()));
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
        bandwidth(limits, bundle(name), box);
        bundle(name).readings(limits, cpus);
    }

    private static void bandwidth(InstanceLimits limits, Bundle bundle, BoxGroups box) {
        var bytes = limits.ioBytesPerSecond();
        if (bytes != null) {
            box.bandwidth(bytes, bundle.disk().map(DiskDevices::under).orElse(List.of()));
        }
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
        guests.drop(ref.name()); // where it was a circle of its own
        spread.giveBack(ref.name());
    }

    /// As `remove`, but what its mounts hold back is left to be released behind.
    void discard(InstanceRef ref) {
        var mounts = sameProcess(ref) ? unmounting.hold(ref.pid()) : Optional.<Fd>empty();
        try {
            remove(ref);
        } finally {
            mounts.ifPresent(unmounting::later);
        }
    }

    boolean hasBundle(String name) {
        return bundle(name).exists();
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
        launcher.close();
        unmounting.close();
        groups.close(); // keeps what instances are in; an idle host is left without a trace
    }

    /// Removes what opening made (clean namespace, parent cgroups, run directory), for tests and uninstallation. No instance may be left.
    public void uninstall() {
        close();
        clean.drop();
        groups.close();
        Directories.delete(config.runDir());
    }
}
