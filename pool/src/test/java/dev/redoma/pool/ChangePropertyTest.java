// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.kernel.Mounts;
import dev.redoma.model.Bytes;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.Change;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// Change sets of a real overlay, driven by a generator with a seed, against a plain comparison of what is seen in it before and after.
class ChangePropertyTest {
    private static final int ROUNDS = 12;
    private static final int STEPS = 25;

    @RegisterExtension
    static final PoolFixture FIXTURE = new PoolFixture();

    @TempDir
    Path tmp;

    /// What can be seen of an entry: type, mode, content or target.
    private static TreeMap<String, String> seen(Path root) throws IOException {
        var all = new TreeMap<String, String>();
        try (var walk = Files.walk(root)) {
            for (var path : walk.filter(p -> !p.equals(root)).toList()) {
                var mode = Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
                var content = Files.isSymbolicLink(path) ? Files.readSymbolicLink(path).toString() : Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) ? Files.readString(path) : "";
                all.put(root.relativize(path).toString(), mode + " " + content);
            }
        }
        return all;
    }

    /// Paths that differ, by what is seen alone.
    private static TreeSet<String> differing(TreeMap<String, String> before, TreeMap<String, String> after) {
        var all = new TreeSet<String>(before.keySet());
        all.addAll(after.keySet());
        all.removeIf(p -> before.containsKey(p) && before.get(p).equals(after.get(p)));
        return all;
    }

    /// Paths that a change set tells of; of a rename both.
    private static TreeSet<String> told(List<Change> changes) {
        var all = new TreeSet<String>();
        for (var c : changes) {
            for (var path : c.from() == null ? List.of(c.path()) : List.of(c.path(), c.from())) {
                all.add(path.startsWith("/") ? path.substring(1) : path);
            }
        }
        return all;
    }

    @Test
    void aChangeSetTellsExactlyWhatAPlainComparisonFinds() throws Exception {
        for (int seed = 0; seed < ROUNDS; seed++) {
            round(seed);
        }
    }

    private void round(int seed) throws Exception {
        var random = new Random(seed);
        var pool = FIXTURE.pool();
        var tar = new Tar();
        for (int i = 0; i < 6; i++) {
            tar.dir("d" + i).file("d" + i + "/f", "below " + i).dir("d" + i + "/s").file("d" + i + "/s/g", "deep " + i % 3).symlink("d" + i + "/l", "f");
        }
        var layer = pool.layerFor(pool.importTar(tar.end(), p -> {}), "t", null);
        var id = SandboxId.mint();
        var disk = pool.createDisk(id, Bytes.mebi(50), 0);
        var merged = Files.createDirectory(tmp.resolve("m" + seed));
        Mounts.mount("overlay", merged, "overlay", Mounts.NODEV, "lowerdir=" + layer + ",upperdir=" + disk.upper() + ",workdir=" + disk.work() + ",redirect_dir=off,metacopy=off");
        try {
            var template = seen(merged);
            var log = new ArrayList<String>();
            act(random, merged, log);
            var start = seen(merged);
            pool.markStart(id);
            act(random, merged, log);
            var now = seen(merged);
            assertThat(told(pool.changes(disk.upper(), List.of(layer), 10_000))).as("seed %d against the template: %s", seed, log).isEqualTo(differing(template, now));
            var since = pool.changes(Compared.withStart(disk.upper(), pool.start(id).orElseThrow(), List.of(layer), "/"), 10_000);
            assertThat(told(since)).as("seed %d against the start: %s", seed, log).isEqualTo(differing(start, now));
            for (var c : since) {
                if (c.type().equals("file") && !c.kind().equals("deleted")) {
                    assertThat(c.digestAfter()).as("seed %d %s", seed, c).isEqualTo(ContentDigest.of(Files.readAllBytes(merged.resolve(c.path()))));
                }
            }
        } finally {
            Mounts.unmount(merged, 0);
            pool.deleteDisk(id);
        }
    }

    private static void act(Random random, Path root, List<String> log) throws IOException {
        for (int i = 0; i < STEPS; i++) {
            List<Path> all;
            try (var walk = Files.walk(root)) {
                all = walk.filter(p -> !p.equals(root)).sorted().toList();
            }
            var any = all.get(random.nextInt(all.size()));
            var dir = Files.isDirectory(any, LinkOption.NOFOLLOW_LINKS) ? any : any.getParent();
            var fresh = dir.resolve(List.of("n", "ö", "x y", "-f", "\tt").get(random.nextInt(5)) + random.nextInt(4));
            try {
                switch (random.nextInt(9)) {
                    case 0 -> Files.writeString(fresh, "new " + random.nextInt(4));
                    case 1 -> Files.createDirectory(fresh);
                    case 2 -> Files.createSymbolicLink(fresh, Path.of("../" + random.nextInt(3)));
                    case 3 -> remove(any);
                    case 4 -> Files.setPosixFilePermissions(any, java.nio.file.attribute.PosixFilePermissions.fromString(random.nextBoolean() ? "rwx------" : "rwxr-xr-x"));
                    case 5 -> move(any, fresh);
                    case 6 -> {
                        remove(any);
                        Files.createDirectory(any); // opaque where a layer had one
                    }
                    case 7 -> {
                        remove(any);
                        Files.writeString(any, "instead " + random.nextInt(3));
                    }
                    default -> {
                        if (Files.isRegularFile(any, LinkOption.NOFOLLOW_LINKS)) {
                            Files.writeString(any, "again " + random.nextInt(3));
                        }
                    }
                }
                log.add(any + " " + fresh.getFileName());
            } catch (java.nio.file.FileSystemException refused) {
                log.add("refused " + any); // there already, or another file system's ways
            }
        }
    }

    private static void move(Path from, Path to) throws IOException {
        if (!to.startsWith(from) && !Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
            if (Files.isDirectory(from, LinkOption.NOFOLLOW_LINKS)) {
                copy(from, to);
                remove(from);
            } else {
                Files.move(from, to);
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (var walk = Files.walk(from)) {
            for (var path : walk.toList()) {
                Files.copy(path, to.resolve(from.relativize(path)), LinkOption.NOFOLLOW_LINKS, java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    private static void remove(Path path) throws IOException {
        try (var walk = Files.walk(path)) {
            for (var each : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
