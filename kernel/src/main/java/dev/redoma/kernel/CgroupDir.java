// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// One cgroup of one hierarchy, as a directory of control files. Thread-safe (the kernel orders the calls).
public record CgroupDir(Path path) {
    private static final int FILE_LIMIT = 64 * 1024;

    public CgroupDir child(String name) {
        return new CgroupDir(path.resolve(name));
    }

    public boolean exists() {
        return Files.isDirectory(path);
    }

    /// True if it was made now.
    public boolean make() {
        long result = onPath(Nr.MKDIRAT, 0777);
        return result != -Errno.EEXIST && Sys.check(result, "mkdirat", path.toString()) == 0;
    }

    public boolean has(String file) {
        return Files.exists(path.resolve(file));
    }

    public void set(String file, String value) {
        try (var fd = Fd.open(path.resolve(file), Open.WRONLY, 0)) {
            fd.write(value.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /// Trimmed. Throws if the file is not there.
    public String get(String file) {
        try (var fd = Fd.open(path.resolve(file), Open.RDONLY, 0)) {
            return new String(fd.readAll(FILE_LIMIT), StandardCharsets.US_ASCII).strip();
        }
    }

    /// Empty if the file (or the group) is not there.
    public Optional<String> find(String file) {
        try {
            return Optional.of(get(file));
        } catch (KernelException e) {
            if (e.is(Errno.ENOENT, Errno.ENODEV)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /// The number after a key in a file of `key value` lines.
    public OptionalLong value(String file, String key) {
        return find(file).stream()
                .flatMap(String::lines)
                .filter(l -> l.startsWith(key + " "))
                .mapToLong(l -> Long.parseLong(l.substring(key.length() + 1).strip()))
                .findFirst();
    }

    /// A file that holds one number (`max` is `Long.MAX_VALUE`).
    public OptionalLong number(String file) {
        return find(file).map(t -> OptionalLong.of(t.equals("max") ? Long.MAX_VALUE : Long.parseLong(t))).orElse(OptionalLong.empty());
    }

    public void add(int pid) {
        set("cgroup.procs", Integer.toString(pid));
    }

    /// Processes of this group alone, not of those below.
    public List<Integer> processes() {
        return find("cgroup.procs").stream().flatMap(String::lines).map(Integer::parseInt).toList();
    }

    public List<CgroupDir> children() {
        var out = new ArrayList<CgroupDir>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path, Files::isDirectory)) {
            entries.forEach(p -> out.add(new CgroupDir(p)));
        } catch (java.nio.file.NoSuchFileException | java.nio.file.NotDirectoryException gone) {
            return List.of();
        } catch (IOException | java.nio.file.DirectoryIteratorException e) {
            throw new IllegalStateException("cannot list " + path, e);
        }
        return out;
    }

    /// Removes it if nothing is in it; true if it is gone.
    public boolean tryRemove() {
        long result = onPath(Nr.UNLINKAT, Dir.REMOVE_DIR);
        return result == 0 || result == -Errno.ENOENT;
    }

    private long onPath(int call, long argument) {
        try (var arena = Arena.ofConfined()) {
            return Sys.retried(call, Sys.AT_FDCWD, Sys.text(arena, path.toString()), argument);
        }
    }

    /// Removes it and all below. Ended processes may hold it for a moment, hence the time; false if something still does.
    public boolean remove(Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        while (!tryRemove()) {
            children().forEach(c -> c.remove(Duration.ZERO));
            if (tryRemove()) {
                return true;
            }
            if (System.nanoTime() >= end) {
                return false;
            }
            Pause.millis(2);
        }
        return true;
    }
}
