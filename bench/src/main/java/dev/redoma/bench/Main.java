// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// `redoma bench NAME… [--json]`: `all`, or the names of benches or groups. Starts a server of its own with data of its own, and removes both.
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        System.exit(run(args));
    }

    /// 0: all bars were met; 1: at least one was missed; 2: usage.
    public static int run(String[] args) throws Exception {
        var names = new ArrayList<>(Arrays.asList(args));
        boolean json = names.remove("--json");
        var benches = Bench.all().stream().filter(b -> names.contains("all") || names.stream().anyMatch(n -> wanted(n, b))).toList();
        if (benches.isEmpty()) {
            System.err.println("usage: redoma bench NAME... [--json]; names: all " + String.join(" ", Bench.all().stream().map(Bench::name).distinct().toList()));
            return 2;
        }
        boolean met = true;
        for (var bench : benches) {
            if (!json) {
                System.err.println("measuring " + bench.name() + " …");
            }
            for (var figure : measure(bench)) {
                System.out.println(json ? figure.json() : figure.line());
                met &= figure.met();
            }
        }
        return met ? 0 : 1;
    }

    /// A bench, a group of them (`templates`), or one of a bench's figures.
    private static boolean wanted(String name, Bench bench) {
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
