// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.util.List;

/// Start of the server, of the command line, and what an idle server holds in memory.
final class StartBench implements Bench {

    @Override
    public String name() {
        return "start";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        double floor = Floors.javaVersion(7).p50();
        var ready = new double[5];
        for (int i = 0; i < ready.length; i++) {
            rig.stop();
            long start = System.nanoTime();
            rig.startAgain();
            ready[i] = (System.nanoTime() - start) / 1e6;
        }
        Thread.sleep(3000);
        double rss = rig.serverRss() / 1048576.0;
        return List.of(
                new Figure("server.ready", "ms", new Samples(ready), "java -version", floor, new Bar.AtMost(15)),
                new Figure("cli", "ms", rig.cliTimes(9, "list"), "java -version", floor, new Bar.AtMost(6)),
                new Figure("server.rss", "MiB", Samples.of(rss), "ceiling", 250, new Bar.Ceiling("<= 250 MiB")));
    }
}
