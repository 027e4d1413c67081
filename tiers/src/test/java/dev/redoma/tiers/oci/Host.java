// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import static org.awaitility.Awaitility.await;

import dev.redoma.engine.Instance;
import dev.redoma.engine.InstanceLimits;
import dev.redoma.engine.InstanceSpec;
import dev.redoma.engine.UidRange;
import dev.redoma.kernel.CgroupHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/// A container tier of its own under a temporary directory, whose instances run a shell script as their first program. Scripts leave
/// what they found in `/out`, which the host reads from the upper directory.
final class Host implements AutoCloseable {
    static final InstanceLimits LIMITS = new InstanceLimits(1, 128L << 20, 64, 1024, 16L << 20, null);
    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final long FIRST_UID = 1_500_000_000L;

    final Path dir;
    final String installation = "t" + ProcessHandle.current().pid() + "x" + NEXT.incrementAndGet();
    final Path lower;
    final Path script;
    final OciTier tier;
    private final OciConfig config;
    private int count;

    Host(String... runtimes) throws IOException {
        this(CgroupHost.discover(), runtimes);
    }

    Host(CgroupHost cgroups, String... runtimes) throws IOException {
        dir = Files.createTempDirectory("redoma-tiers-");
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwx--x--x"));
        lower = busybox(dir.resolve("lower"));
        script = dir.resolve("init");
        script("sleep 1000");
        config = new OciConfig(
                installation, Path.of("/run/redoma-test", installation), script, List.of(), launcher(), runtimes.length == 0 ? List.of("crun", "runc") : List.of(runtimes), dir);
        tier = OciTier.open(config, cgroups);
    }

    static Path launcher() {
        return Path.of(System.getProperty("redoma.root", ".."), "guest/target/dist/redoma-launcher");
    }

    /// A root file system that holds busybox and nothing else.
    private static Path busybox(Path root) throws IOException {
        Files.createDirectories(root.resolve("bin"));
        Files.copy(Path.of("/usr/bin/busybox"), root.resolve("bin/busybox"));
        for (var name : List.of("sh", "sleep", "cat", "id", "nproc", "ls", "dd", "mount", "kill", "ps", "touch", "mkdir", "hostname", "su", "true", "yes", "head", "grep", "ln", "ulimit", "df", "mknod", "stat", "chmod", "nc", "ip", "tail", "test", "chown")) {
            Files.createSymbolicLink(root.resolve("bin").resolve(name), Path.of("busybox"));
        }
        Files.createDirectories(root.resolve("etc"));
        Files.writeString(root.resolve("etc/passwd"), "root:x:0:0:root:/:/bin/sh\nuser:x:1000:1000:user:/:/bin/sh\n");
        Files.writeString(root.resolve("etc/group"), "root:x:0:\nuser:x:1000:\n");
        return root;
    }

    /// What the next instances run; they then sleep.
    void script(String body) throws IOException {
        Files.deleteIfExists(script);
        Files.writeString(script, "#!/bin/sh\nPATH=/bin; export PATH\n" + body + "\necho done > /done\nexec sleep 1000\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    InstanceSpec spec() throws IOException {
        return spec(LIMITS, true);
    }

    InstanceSpec spec(InstanceLimits limits, boolean sudo) throws IOException {
        int n = ++count;
        var range = new UidRange(FIRST_UID + NEXT.incrementAndGet() * UidRange.WIDTH);
        var disk = Files.createDirectories(dir.resolve("disk" + n));
        var upper = owned(disk.resolve("upper"), range, "rwxr-xr-x");
        var channel = owned(dir.resolve("channel" + n), range, "rwx------");
        return new InstanceSpec(
                "box" + n,
                List.of(new InstanceSpec.Lower(lower, 0)),
                upper,
                Files.createDirectories(disk.resolve("work")),
                range,
                "glass",
                UUID.randomUUID().toString(),
                limits,
                channel,
                sudo);
    }

    static Path owned(Path path, UidRange range, String mode) throws IOException {
        Files.createDirectories(path);
        Files.setAttribute(path, "unix:uid", (int) range.base());
        Files.setAttribute(path, "unix:gid", (int) range.base());
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    Instance start(String body) throws IOException {
        script(body);
        return tier.create(spec());
    }

    /// Waits until the script of this instance is through, then what it wrote to `/out`.
    static String out(InstanceSpec spec) throws IOException {
        await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(20)).until(() -> Files.exists(spec.upper().resolve("done")));
        var out = spec.upper().resolve("out");
        return Files.exists(out) ? Files.readString(out).strip() : "";
    }

    /// Runs a script in an instance made for it, to its end.
    String run(String body) throws IOException {
        return run(body, LIMITS, true);
    }

    String run(String body, InstanceLimits limits, boolean sudo) throws IOException {
        script(body);
        var spec = spec(limits, sudo);
        var instance = tier.create(spec);
        try {
            return out(spec);
        } finally {
            instance.kill();
        }
    }

    static Map<String, String> lines(String text) {
        var out = new java.util.TreeMap<String, String>();
        text.lines().map(l -> l.split(":", 2)).filter(f -> f.length == 2).forEach(f -> out.put(f[0].strip(), f[1].strip()));
        return out;
    }

    OciConfig config() {
        return config;
    }

    @Override
    public void close() throws IOException {
        tier.all().forEach(tier::remove);
        tier.uninstall();
        try (var files = Files.walk(dir)) {
            for (var path : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
