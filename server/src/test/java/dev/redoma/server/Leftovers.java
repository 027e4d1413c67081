// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/// What a test's server left on the host, found by its directory; and its removal.
final class Leftovers {
    private Leftovers() {}

    /// Processes whose command line names the directory and that nobody else started, mounts in it, loop devices on its files.
    static List<String> of(Path dir) throws IOException {
        var found = new ArrayList<String>();
        ProcessHandle.allProcesses().filter(p -> p.pid() != ProcessHandle.current().pid() && names(p, dir) && ours(p, dir))
                .forEach(p -> found.add("process " + p.pid() + ": " + command(p)));
        mounts(dir).forEach(mount -> found.add("mount " + mount));
        leftLoops(dir).forEach(loop -> found.add("loop device " + loop));
        return found;
    }

    /// A loop device frees itself when the kernel has let go of the file system, which may be after the unmounting has returned. It cannot while
    /// somebody else on this machine has a copy of the mount in a namespace made meanwhile (as by `ip netns exec`): that is nothing left by us.
    private static List<Path> leftLoops(Path dir) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        long step = TimeUnit.MILLISECONDS.toNanos(50);
        List<Path> left;
        while (!(left = loops(dir)).isEmpty() && mounts(dir).isEmpty() && System.nanoTime() < end) {
            if (step > TimeUnit.SECONDS.toNanos(1) && left.stream().allMatch(loop -> keptByOthers(loop, dir))) {
                System.err.println("others on this machine keep " + left + " by a copy of the mount");
                return List.of();
            }
            LockSupport.parkNanos(step);
            step = Math.min(2 * step, TimeUnit.SECONDS.toNanos(2));
        }
        return left;
    }

    private static boolean keptByOthers(Path loop, Path dir) {
        var source = " /dev/" + loop.getFileName() + " ";
        return ProcessHandle.allProcesses().filter(p -> read(Path.of("/proc/" + p.pid() + "/mountinfo")).contains(source)).anyMatch(p -> !ours(p, dir) && !names(p, dir));
    }

    /// Below this process, or left by one that is gone: whoever looks at the directory from elsewhere on this machine is neither.
    private static boolean ours(ProcessHandle process, Path dir) {
        var top = process;
        for (var above = top.parent(); above.isPresent() && above.get().pid() != 1; above = top.parent()) {
            top = above.get();
            if (top.pid() == ProcessHandle.current().pid()) {
                return true;
            }
        }
        return names(top, dir);
    }

    private static boolean names(ProcessHandle process, Path dir) {
        return command(process).contains(dir.toString());
    }

    private static String command(ProcessHandle process) {
        return read(Path.of("/proc/" + process.pid() + "/cmdline")).replace('\0', ' ');
    }

    private static List<Path> loops(Path dir) throws IOException {
        try (Stream<Path> loops = Files.list(Path.of("/sys/block"))) {
            return loops.filter(l -> read(l.resolve("loop/backing_file")).startsWith(dir.toString())).toList();
        }
    }

    private static List<String> mounts(Path dir) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/mounts")).stream().map(l -> l.split(" ")[1]).filter(m -> m.startsWith(dir.toString()))
                .sorted(Comparator.reverseOrder()).toList();
    }

    /// Ends and removes what servers of tests left whose process was killed, as their marks on this host tell. Each test does it that starts one.
    static synchronized void ofRunsThatWereKilled() throws IOException {
        for (var mark : HostMark.all()) {
            if (mark.data().matches("/tmp/rdt[0-9]+/data") && !mark.served()) {
                System.err.println("a run that was killed left " + mark.data() + "; what it has on this host is removed");
                Abandoned.end(mark.installation(), Path.of(System.getProperty("redoma.root", "..")).toAbsolutePath());
                remove(Path.of(mark.data()).getParent());
            }
        }
    }

    static void remove(Path dir) throws IOException {
        for (var mount : mounts(dir)) {
            run("umount", "-l", mount);
        }
        loops(dir).forEach(l -> run("losetup", "-d", "/dev/" + l.getFileName()));
        run("rm", "-rf", "--one-file-system", dir.toString());
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException | UncheckedIOException gone) {
            return "";
        }
    }

    private static void run(String... command) {
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            var said = new String(process.getInputStream().readAllBytes());
            if (process.waitFor() != 0) {
                System.err.println(String.join(" ", command) + ": " + said);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
