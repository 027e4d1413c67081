// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.http.Json;
import dev.redoma.model.Amounts;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Finding;
import dev.redoma.pool.BtrfsPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// What installations of ours have on this host while no server serves them: sandboxes that wait for their server, or that nobody will ever come back for. Only what a mark of ours names is
/// touched, and only when its process has ended and nobody holds its data directory.
public final class Abandoned {
    private static final Path CGROUPS = Path.of("/sys/fs/cgroup");
    private static final String AREA = "leftovers";

    private Abandoned() {}

    /// `processes`: in its groups; `mounts`: below its directories.
    record Found(HostMark mark, long processes, List<String> mounts) {}

    /// What `main` prints.
    public record Ended(List<String> ended) {}

    /// Arguments: the home of the guest's binaries, then installations. Ends what they left; data directories stay.
    public static void main(String[] arguments) throws IOException {
        try {
            for (var installation : List.of(arguments).subList(1, arguments.length)) {
                end(installation, Path.of(arguments[0]).toAbsolutePath());
            }
            System.out.write(Json.bytes(new Ended(List.of(arguments).subList(1, arguments.length))));
            System.out.println();
            System.exit(0);
        } catch (RedomaException refused) {
            System.err.println("redoma: " + Main.told(refused.problem()));
            System.exit(refused.code() == Code.INVALID_FIELD ? 2 : 1);
        }
    }

    static List<Found> all() throws IOException {
        var all = new ArrayList<Found>();
        for (var mark : HostMark.all()) {
            if (!mark.served() && !DataLock.held(mark.dataDir())) {
                var found = new Found(mark, processes(mark), mounts(mark));
                if (found.processes() > 0 || !found.mounts().isEmpty()) {
                    all.add(found);
                }
            }
        }
        return all;
    }

    static List<Finding> findings() {
        try {
            return all().stream().map(Abandoned::finding).toList();
        } catch (AccessDeniedException notRoot) {
            return List.of(new Finding(AREA, "installations", "warn", "what servers left on this host can be told by root alone", "ask as root"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static Finding finding(Found found) {
        var mark = found.mark();
        boolean gone = !Files.exists(mark.dataDir().resolve("redoma.db"));
        var end = "redoma doctor --clean " + mark.installation() + " ends them";
        return new Finding(AREA, mark.installation(), found.processes() > 0 || gone ? "warn" : "ok",
                found.processes() + (found.processes() == 1 ? " process and " : " processes and ") + Amounts.count(found.mounts().size(), "mount") + " of " + mark.data() + ", which no server serves"
                        + (gone ? "; its database is gone" : ""),
                gone ? end : "redoma up --data " + mark.data() + " --run " + mark.run() + " takes them up again; " + end);
    }

    /// Refused where a server serves it, or where nothing says that it is ours.
    static void end(String installation, Path home) throws IOException {
        var mark = HostMark.of(installation).orElseThrow(() -> Problem.field("--clean", "nothing on this host says that '" + installation + "' is an installation of Redoma", "one that 'redoma doctor' names"));
        if (mark.served()) {
            throw Problem.of(Code.WRONG_STATE, "The process " + mark.pid() + " serves " + mark.data() + ".", "Use 'redoma down --all' or 'redoma uninstall' with its directories.").raise();
        }
        boolean there = Files.isDirectory(mark.dataDir());
        try (AutoCloseable alone = there ? DataLock.take(mark.dataDir()) : () -> {}) {
            Uninstall.endInstances(new Options(mark.dataDir(), mark.runDir(), home, null, null, null), installation);
            if (there) {
                BtrfsPool.unmount(mark.dataDir());
            }
            HostMark.remove(installation);
        } catch (IOException | RuntimeException failed) {
            throw failed;
        } catch (Exception impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static List<String> mounts(HostMark mark) throws IOException {
        return Uninstall.mounts(mark.dataDir(), mark.runDir());
    }

    private static long processes(HostMark mark) throws IOException {
        var groups = new ArrayList<Path>();
        try (Stream<Path> hierarchies = Files.list(CGROUPS)) {
            Stream.concat(Stream.of(CGROUPS), hierarchies).map(h -> h.resolve("redoma-" + mark.installation())).filter(Files::isDirectory).forEach(groups::add);
        }
        return groups.stream().flatMap(Abandoned::pids).distinct().count();
    }

    /// Of the group and those below, which come and go.
    private static Stream<String> pids(Path group) {
        try (Stream<Path> below = Files.walk(group, 4)) {
            return below.filter(p -> p.endsWith("cgroup.procs")).flatMap(Abandoned::lines).toList().stream();
        } catch (IOException | UncheckedIOException goneMeanwhile) {
            return Stream.of();
        }
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException goneMeanwhile) {
            return Stream.of();
        }
    }
}
