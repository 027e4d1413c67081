// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.http.Json;
import dev.redoma.model.wire.Finding;
import dev.redoma.tiers.oci.OciConfig;
import dev.redoma.tiers.oci.OciTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/// Tries what a server would need of this host, without a server: the container tier in a throw-away instance, and what the pool stands
/// on. Prints the findings as JSON and leaves nothing behind. Argument: the home of the guest's binaries.
public final class HostCheck {
    private static final String POOL = "pool";

    private HostCheck() {}

    /// What is printed.
    public record Findings(List<Finding> findings) {}

    public static void main(String[] arguments) throws IOException {
        var home = Path.of(arguments.length > 0 ? arguments[0] : System.getProperty("redoma.home", ".")).toAbsolutePath();
        System.out.write(Json.bytes(new Findings(of(home))));
        System.out.println();
        System.exit(0);
    }

    static List<Finding> of(Path home) throws IOException {
        var found = new ArrayList<>(tier(home.resolve("guest/target/dist")));
        found.add(btrfs());
        found.add(tool("mkfs.btrfs", "btrfs-progs"));
        found.add(loop());
        found.addAll(Abandoned.findings());
        return found;
    }

    private static List<Finding> tier(Path binaries) throws IOException {
        var run = Files.createTempDirectory("redoma-check-");
        try {
            var name = "check" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(), 8);
            var tier = OciTier.open(new OciConfig(name, run, binaries.resolve("redoma-guest"), binaries.resolve("redoma-launcher")));
            try {
                return tier.probe().findings();
            } finally {
                tier.uninstall();
            }
        } finally {
            Files.deleteIfExists(run);
        }
    }

    private static Finding btrfs() throws IOException {
        boolean there = Files.readString(Path.of("/proc/filesystems")).contains("\tbtrfs\n") || module("btrfs");
        return there ? new Finding(POOL, "Btrfs", "ok", "the kernel has it", null)
                : new Finding(POOL, "Btrfs", "missing", "the kernel does not have it", "modprobe btrfs, or use a kernel that has it");
    }

    private static boolean module(String name) throws IOException {
        var list = Path.of("/lib/modules", Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip(), "modules.dep");
        return Files.exists(list) && Files.readString(list).contains("/" + name + ".ko");
    }

    private static Finding tool(String name, String packaged) {
        return Stream.of("/usr/sbin", "/sbin", "/usr/bin").map(d -> Path.of(d, name)).filter(Files::isExecutable).findFirst()
                .map(at -> new Finding(POOL, name, "ok", at.toString(), null))
                .orElse(new Finding(POOL, name, "missing", "is not installed", "apt-get install " + packaged));
    }

    private static Finding loop() {
        return Files.exists(Path.of("/dev/loop-control")) ? new Finding(POOL, "loop device", "ok", "/dev/loop-control is there", null)
                : new Finding(POOL, "loop device", "warn", "/dev/loop-control is missing", "modprobe loop, or give the pool a device or directory of its own");
    }
}
