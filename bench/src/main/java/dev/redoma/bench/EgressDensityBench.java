// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// 500 networks of sandboxes, first without and then with the gateway in them: what its process grew by and what the kernel holds more that it cannot give back at will (of the
/// whole host), and the threads of the process.
final class EgressDensityBench implements Bench {
    private static final int COUNT = 500;

    @Override
    public String name() {
        return "egress.density";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        var sandboxes = new ArrayList<Network>();
        try (var lab = new EgressLab(rig)) {
            for (int i = 0; i < 5; i++) {
                lab.sandbox();
            }
            for (int i = 0; i < COUNT; i++) {
                sandboxes.add(Network.make());
            }
            lab.gateway.rest();
            long process = ProcFiles.rssBytes(lab.gateway.pid());
            long threads = ProcFiles.threads(lab.gateway.pid());
            long kernel = kernel();
            for (var sandbox : sandboxes) {
                lab.gateway.attach(sandbox);
            }
            lab.gateway.rest();
            double grown = (ProcFiles.rssBytes(lab.gateway.pid()) - process) / 1024.0 / COUNT;
            double held = (kernel() - kernel) / 1024.0 / COUNT;
            return List.of(
                    new Figure("egress.density", "KiB", Samples.of(grown + held), "ceiling", 150, new Bar.Ceiling("<= 150 KiB each")),
                    new Figure("egress.density.process", "KiB", Samples.of(grown), "ceiling", 150, new Bar.Ceiling("part of it")),
                    new Figure("egress.density.threads", "threads", Samples.of(ProcFiles.threads(lab.gateway.pid()) - threads), "ceiling", 10, new Bar.Ceiling("<= 10 more")));
        } finally {
            sandboxes.forEach(Network::close);
        }
    }

    /// Memory that the kernel itself uses for good, in bytes.
    private static long kernel() throws IOException {
        return Files.readAllLines(Path.of("/proc/meminfo")).stream().filter(l -> l.startsWith("SUnreclaim:") || l.startsWith("Percpu:"))
                .mapToLong(l -> Long.parseLong(l.split("\\s+")[1]) << 10).sum();
    }
}
