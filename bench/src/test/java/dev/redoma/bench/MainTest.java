// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// How the bench ends.
class MainTest {
    private static Bench named(String name) {
        return new Bench() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public List<Figure> run(Rig rig) {
                return List.of();
            }
        };
    }

    @Test
    void oneThatFailsDoesNotTakeTheOthersWithItAndIsTold() throws Exception {
        var measured = new ArrayList<String>();
        int code = Main.measureAll(List.of(named("one"), named("two"), named("three")), true, bench -> {
            measured.add(bench.name());
            if (bench.name().equals("two")) {
                throw new AssertionError("broken");
            }
            return bench.run(null);
        });
        assertThat(measured).containsExactly("one", "two", "three");
        assertThat(code).isEqualTo(3);
    }

    @Test
    void allMeasuredAndAllBarsMetIsZero() throws Exception {
        assertThat(Main.measureAll(List.of(named("one")), true, bench -> bench.run(null))).isZero();
    }

    @Test
    void anUnknownNameIsUsage() throws Exception {
        assertThat(Main.run(new String[] {"nothing"})).isEqualTo(2);
    }

    @Test
    void aGroupIsAllThatBeginsWithItsName() {
        assertThat(Bench.all().stream().filter(b -> Main.wanted("egress", b)).map(Bench::name)).containsExactly(
                "egress.tls", "egress.stream", "egress.http", "egress.intercepted", "egress.leaf", "egress.dns", "egress.density", "egress.create");
        assertThat(Bench.all().stream().filter(b -> Main.wanted("e2b", b)).map(Bench::name)).containsExactly("e2b.js", "e2b.python");
        assertThat(Bench.all().stream().filter(b -> Main.wanted("egress.tls.stream", b)).map(Bench::name)).containsExactly("egress.tls");
    }
}
