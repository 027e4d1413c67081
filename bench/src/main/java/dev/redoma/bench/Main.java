// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// `redoma bench NAME… [--json]`: `all`, or the names of benches or groups. Starts a server of its own with data of its own, and removes both.
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        System.exit(run(args));
    }

    /// 0: all bars were met; 1: at least one was missed; 2: usage, or not built; 3: at least one could not be measured.
    public static int run(String[] args) throws Exception {
        var names = new ArrayList<>(Arrays.asList(args));
        boolean json = names.remove("--json");
        var benches = Bench.all().stream().filter(b -> names.contains("all") || names.stream().anyMatch(n -> wanted(n, b))).toList();
        if (benches.isEmpty()) {
            System.err.println("usage: redoma bench NAME... [--json]; names: all " + String.join(" ", Bench.all().stream().map(Bench::name).distinct().toList()));
            return 2;
        }
        if (benches.stream().anyMatch(StartBench.class::isInstance) && !Files.isExecutable(RigPlace.checkout().resolve("target/dist/jdk/bin/java"))) {
            System.err.println("'start' measures the command line as it is built, and " + RigPlace.checkout() + " is not: run ./redoma setup there first.");
            return 2;
        }
        return measureAll(benches, json, Main::measure);
    }

    /// What a group of figures comes from.
    interface Measuring {
        List<Figure> of(Bench bench) throws Exception;
    }

    /// One that fails is named and does not take the others with it.
    static int measureAll(List<Bench> benches, boolean json, Measuring measuring) throws InterruptedException {
        boolean met = true;
        var failed = new ArrayList<String>();
        for (var bench : benches) {
            if (!json) {
                System.err.println("measuring " + bench.name() + " …");
            }
            try {
                for (var figure : measuring.of(bench)) {
                    System.out.println(json ? figure.json() : figure.line());
                    met &= figure.met();
                }
            } catch (InterruptedException ended) {
                throw ended;
            } catch (Exception | AssertionError broken) {
                System.err.println(bench.name() + " failed: " + broken);
                failed.add(bench.name());
            }
        }
        if (!failed.isEmpty()) {
            System.err.println("not measured: " + String.join(", ", failed));
        }
        return failed.isEmpty() ? met ? 0 : 1 : 3;
    }

    /// A bench, a group of them (`templates`), or one of a bench's figures.
    static boolean wanted(String name, Bench bench) {
        boolean ofFigure = Bench.all().stream().noneMatch(b -> b.name().equals(name)) && name.startsWith(bench.name() + ".");
        return name.equals(bench.name()) || bench.name().startsWith(name + ".") || ofFigure;
    }

    private static List<Figure> measure(Bench bench) throws Exception {
        try (var rig = Rig.start("bench-" + bench.name(), bench.options())) {
            rig.importTiny();
            return bench.run(rig);
        }
    }
}
