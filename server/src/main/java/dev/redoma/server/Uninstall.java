// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.model.RedomaException;
import dev.redoma.pool.BtrfsPool;
import dev.redoma.tiers.oci.OciConfig;
import dev.redoma.tiers.oci.OciTier;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Takes an installation off the host: ends every sandbox, unmounts, removes cgroups, data and run directories. Takes the server's own
/// command line; no server may run. Exit codes as `Main`; what could not be removed is named on stderr.
public final class Uninstall {
    private Uninstall() {}

    public static void main(String[] arguments) {
        try {
            var options = Options.parse(List.of(arguments));
            var left = of(options);
            left.forEach(line -> System.err.println("redoma: left on the host: " + line));
            System.exit(left.isEmpty() ? 0 : 1);
        } catch (RedomaException refused) {
            System.err.println("redoma: " + refused.problem().message() + " " + refused.problem().remedy());
            System.exit(refused.problem().code().status() == 400 ? 2 : 1);
        } catch (IOException failed) {
            System.err.println("redoma: " + failed);
            System.exit(1);
        }
    }

    /// What stays, in words; empty when nothing does.
    static List<String> of(Options options) throws IOException {
        var quiet = new Options(options.dataDir(), options.runDir(), options.home(), "127.0.0.1:0", options.config(), options.dataDir().resolve("operator.json"));
        if (Files.exists(options.dataDir().resolve("redoma.db"))) {
            endAll(quiet);
        } else if (Files.exists(options.dataDir()) || Files.exists(options.runDir())) {
            byHost(quiet, "there is no database");
        }
        var left = new ArrayList<>(mounts(options.dataDir(), options.runDir()));
        if (left.isEmpty()) {
            delete(options.dataDir());
            delete(options.runDir());
        }
        return left;
    }

    private static void endAll(Options options) {
        try {
            var house = House.open(options, environment());
            try {
                System.out.println("sandboxes ended: " + house.endAll());
            } catch (RuntimeException failed) {
                house.close();
                throw failed;
            }
            house.uninstall();
        } catch (RuntimeException broken) {
            if (broken instanceof RedomaException refused && refused.code().status() == 400) {
                throw broken;
            }
            byHost(options, String.valueOf(broken.getMessage()));
        }
    }

    /// Where the records do not serve, the host still knows what runs. A server that runs is refused here too.
    private static void byHost(Options options, String why) {
        try (var alone = DataLock.take(options.dataDir())) {
            System.err.println("redoma: the records cannot be used (" + why + "): ending what the host has of this installation");
            OciTier.installationOf(options.runDir()).ifPresent(installation -> {
                endInstances(options, installation);
                HostMark.remove(installation);
            });
            BtrfsPool.unmount(options.dataDir());
        }
    }

    static void endInstances(Options options, String installation) {
        var config = new OciConfig(installation, options.runDir(), options.guestBinary("redoma-guest"), options.guestBinary("redoma-launcher"));
        try (var tier = OciTier.open(config)) {
            var all = tier.all();
            all.forEach(tier::remove);
            System.err.println("sandboxes ended: " + all.size());
            tier.uninstall();
        }
    }

    /// Nothing is started ahead any more.
    private static Map<String, String> environment() {
        var all = new java.util.HashMap<>(System.getenv());
        all.put("REDOMA_WARM_SIZE", "0");
        return all;
    }

    static List<String> mounts(Path dataDir, Path runDir) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream().map(line -> line.split(" ")[4].replace("\\040", " "))
                .filter(point -> point.startsWith(dataDir + "/") || point.startsWith(runDir + "/"))
                .map(point -> "mount " + point).toList();
    }

    /// Follows no link, and nothing is mounted below.
    private static void delete(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes facts) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failed) throws IOException {
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
