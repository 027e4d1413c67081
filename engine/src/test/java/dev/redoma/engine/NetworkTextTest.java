// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkTextTest {
    private static final List<String> SOME = List.of("93.184.216.0/24");

    @ParameterizedTest
    @ValueSource(strings = {"packages", "egress: {web: [{hosts: [a.example.com], tls: opaque}]}"})
    void toDenyOrAllowAddressesOpensNothingBeyondAStandardOfTheServersOwn(String standard) {
        for (var wishes : List.of(new NetworkWishes(true, List.of(), SOME), new NetworkWishes(true, SOME, List.of()), new NetworkWishes(true, SOME, SOME))) {
            assertThatThrownBy(() -> NetworkText.of(wishes, standard)).isInstanceOfSatisfying(RedomaException.class, e -> {
                assertThat(e.code()).isEqualTo(Code.NOT_OFFERED);
                assertThat(e.problem().details()).containsEntry("field", "network.denyOut");
            });
        }
        assertThat(NetworkText.of(NetworkWishes.NONE, standard)).isEqualTo(standard);
        assertThat(NetworkText.of(new NetworkWishes(false, List.of(), SOME), standard)).isEqualTo("none");
        assertThat(NetworkText.of(new NetworkWishes(true, List.of("a.example.com"), List.of("0.0.0.0/0")), standard)).contains("a.example.com").doesNotContain("\"*\"");
    }

    @Test
    void whereNothingIsLetOutToDenyOpensNothing() {
        assertThat(NetworkText.of(new NetworkWishes(true, List.of(), SOME), "none")).isEqualTo("none");
        assertThat(NetworkText.of(new NetworkWishes(true, List.of(), SOME), "internet")).contains("\"*\"").contains("93.184.216.0/24");
    }
}
