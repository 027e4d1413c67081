// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// What figures are held against, and how they are told.
class BarTest {
    private static Figure figure(double ours, double floor, Bar bar) {
        return new Figure("one", "ms", Samples.of(ours), "bare", floor, bar);
    }

    @Test
    void whatIsAddedIsHeldAgainstTheFloorAndALimit() {
        var bar = new Bar.Added(2, "ms");
        assertThat(figure(7, 5, bar).met()).isTrue();
        assertThat(figure(7.1, 5, bar).met()).isFalse();
        assertThat(bar.text()).isEqualTo("p50 <= floor + 2 ms");
    }

    @Test
    void aLimitHoldsWhateverTheFloorIs() {
        var bar = new Bar.Within(1, "ms");
        assertThat(figure(1, 0.01, bar).met()).isTrue();
        assertThat(figure(1.1, 5, bar).met()).isFalse();
        assertThat(bar.text()).isEqualTo("p50 <= 1 ms");
    }

    @Test
    void aLineOfTheReportHasEveryField() {
        var json = Api.JSON.readTree(figure(7, 5, new Bar.Added(2, "ms")).json());
        assertThat(json.propertyNames()).containsExactly("name", "unit", "n", "p50", "p95", "p99", "floor", "ratio", "bar", "met");
        assertThat(json.get("floor").get("name").asString()).isEqualTo("bare");
        assertThat(json.get("ratio").asDouble()).isEqualTo(1.4);
    }
}
