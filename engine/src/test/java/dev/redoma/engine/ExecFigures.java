// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.Exec;
import java.time.Duration;
import java.util.Arrays;

/// Figures of execs without HTTP and container, to see where time goes; run by hand. Not a test.
final class ExecFigures {
    private ExecFigures() {}

    public static void main(String[] args) throws Exception {
        try (var rig = new GuestRig()) {
            if (args.length > 0 && args[0].equals("output")) {
                output(rig);
            } else {
                latency(rig);
            }
        }
    }

    private static void latency(GuestRig rig) throws InterruptedException {
        var os = (com.sun.management.OperatingSystemMXBean) java.lang.management.ManagementFactory.getOperatingSystemMXBean();
        for (int round = 0; round < 8; round++) {
            long cpu = os.getProcessCpuTime();
            var total = new long[500];
            var start = new long[500];
            for (int i = 0; i < total.length; i++) {
                int n = i;
                var t = Thread.startVirtualThread(() -> {
                    try {
                        long a = System.nanoTime();
                        Exec exec = rig.start("/bin/true");
                        start[n] = System.nanoTime() - a;
                        try (var out = rig.execs.output(GuestRig.CALLER, rig.id.value(), exec.id(), 0, true, false)) {
                            while (out.next(Duration.ofSeconds(5)) != null) {
                                continue;
                            }
                        }
                        rig.get(exec);
                        total[n] = System.nanoTime() - a;
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
                t.join();
            }
            Arrays.sort(total);
            Arrays.sort(start);
            System.out.printf("exec p10 %d p50 %d us p95 %d us; started p50 %d us; cpu %d us each%n", total[50] / 1000, total[250] / 1000,
                    total[475] / 1000, start[250] / 1000, (os.getProcessCpuTime() - cpu) / 500_000);
        }
        var commit = new long[200];
        for (int i = 0; i < commit.length; i++) {
            long a = System.nanoTime();
            rig.store.write(tx -> tx.execute("UPDATE sandbox SET active_at = active_at + 1"));
            commit[i] = System.nanoTime() - a;
        }
        Arrays.sort(commit);
        System.out.printf("bare commit p10 %d p50 %d us%n", commit[20] / 1000, commit[100] / 1000);
        var spawn = new long[200];
        for (int i = 0; i < spawn.length; i++) {
            long a = System.nanoTime();
            try {
                new ProcessBuilder("/bin/true").start().waitFor();
            } catch (java.io.IOException e) {
                throw new IllegalStateException(e);
            }
            spawn[i] = System.nanoTime() - a;
        }
        Arrays.sort(spawn);
        System.out.printf("ProcessBuilder p50 %d us%n", spawn[100] / 1000);
    }

    private static void output(GuestRig rig) throws InterruptedException {
        var os = (com.sun.management.OperatingSystemMXBean) java.lang.management.ManagementFactory.getOperatingSystemMXBean();
        for (int round = 0; round < 5; round++) {
            loopback();
            long a = System.nanoTime();
            long cpu = os.getProcessCpuTime();
            long bytes = 0;
            var exec = rig.start("sh", "-c", "head -c 209715200 /dev/zero");
            try (var out = rig.execs.output(GuestRig.CALLER, rig.id.value(), exec.id(), 0, true, false)) {
                for (Execs.Chunk c; (c = out.next(Duration.ofSeconds(5))) != null; ) {
                    bytes += c.bytes().remaining();
                }
            }
            double seconds = (System.nanoTime() - a) / 1e9;
            System.out.printf("%d bytes in %.2f s: %.0f MB/s; cpu here %d ms, inside %d ms%n", bytes, seconds, bytes / seconds / 1e6,
                    (os.getProcessCpuTime() - cpu) / 1_000_000, rig.get(exec).cpuMs());
        }
    }

    private static void loopback() {
        long a = System.nanoTime();
        try (var server = new java.net.ServerSocket(0); var client = new java.net.Socket("127.0.0.1", server.getLocalPort());
                var peer = server.accept()) {
            var writer = Thread.ofPlatform().start(() -> {
                try {
                    var piece = new byte[64 << 10];
                    for (int i = 0; i < 3200; i++) {
                        peer.getOutputStream().write(piece);
                    }
                    peer.shutdownOutput();
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            var piece = new byte[64 << 10];
            while (client.getInputStream().read(piece) >= 0) {
                continue;
            }
            writer.join();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        System.out.printf("loopback %.0f MB/s; ", 209715200 / ((System.nanoTime() - a) / 1e9) / 1e6);
    }
}
