// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.client.NewSandbox;
import dev.redoma.client.SandboxHandle;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/// One file of 256 MiB up and down, the server's growth meanwhile, and 2,000 small files as one archive.
final class FileBench implements Bench {
    private static final long BYTES = 256L << 20;
    private static final int ROUNDS = 5;
    private static final int WARM_UP = 3;
    private static final int SMALL = 2000;

    @Override
    public String name() {
        return "files";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        var figures = new ArrayList<Figure>();
        var local = Files.createTempFile("redoma-bench", ".bin");
        try (var box = rig.client().create(NewSandbox.from("tiny"))) {
            fill(local);
            box.files().upload(local, "/root/big", null, (done, total) -> {});
            long before = rig.serverRss();
            for (int i = 0; i < WARM_UP; i++) {
                box.files().upload(local, "/root/big", null, (done, total) -> {});
                box.files().read("/root/big", OutputStream.nullOutputStream());
            }
            var up = new double[ROUNDS];
            var down = new double[ROUNDS];
            var floors = new double[ROUNDS];
            long peak = before;
            for (int i = 0; i < ROUNDS; i++) {
                floors[i] = Floors.loopback(BYTES) / (1 << 20);
                up[i] = rate(() -> box.files().upload(local, "/root/big", null, (done, total) -> {}));
                peak = Math.max(peak, rig.serverRss());
            }
            for (int i = 0; i < ROUNDS; i++) {
                down[i] = rate(() -> box.files().read("/root/big", OutputStream.nullOutputStream()));
                peak = Math.max(peak, rig.serverRss());
            }
            double floor = new Samples(floors).p50();
            figures.add(new Figure("files.up", "MiB/s", new Samples(up), "loopback", floor, new Bar.AtLeast(0.4)));
            figures.add(new Figure("files.down", "MiB/s", new Samples(down), "loopback", floor, new Bar.AtLeast(0.4)));
            figures.add(new Figure("files.growth", "MiB", Samples.of((peak - before) / 1048576.0), "ceiling", 64, new Bar.Ceiling("< 64 MiB")));
            figures.add(small(rig, box));
        } finally {
            Files.deleteIfExists(local);
        }
        return figures;
    }

    private interface Transfer {
        void run() throws IOException;
    }

    private static double rate(Transfer transfer) throws IOException {
        long start = System.nanoTime();
        transfer.run();
        return BYTES / ((System.nanoTime() - start) / 1e9) / (1 << 20);
    }

    private static void fill(Path file) throws IOException {
        var block = new byte[1 << 20];
        new Random(1).nextBytes(block);
        try (var out = Files.newOutputStream(file)) {
            for (long n = 0; n < BYTES; n += block.length) {
                out.write(block);
            }
        }
    }

    private static Figure small(Rig rig, SandboxHandle box) throws Exception {
        var dir = Files.createTempDirectory("redoma-bench-small");
        var tar = dir.resolveSibling(dir.getFileName() + ".tar");
        try {
            for (int i = 0; i < SMALL; i++) {
                Files.write(dir.resolve("f" + i), new byte[1024]);
            }
            Commands.quiet("tar", "cf", tar.toString(), "-C", dir.toString(), ".");
            var ours = new double[ROUNDS];
            var floors = new double[ROUNDS];
            for (int i = 0; i < ROUNDS; i++) {
                var target = rig.poolScratch("tar" + i);
                floors[i] = Commands.times(1, "tar", "xf", tar.toString(), "-C", target.toString()).p50();
                int round = i;
                long start = System.nanoTime();
                box.files().folders().upload(dir, "/root/small" + round, n -> {});
                ours[i] = (System.nanoTime() - start) / 1e6;
            }
            return new Figure("files.small", "ms", new Samples(ours), "tar x on the pool", new Samples(floors).p50(), new Bar.AtMost(2));
        } finally {
            Files.deleteIfExists(tar);
            try (var all = Files.walk(dir)) {
                all.sorted(Comparator.reverseOrder()).forEach(FileBench::delete);
            }
        }
    }

    private static void delete(Path path) {
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
