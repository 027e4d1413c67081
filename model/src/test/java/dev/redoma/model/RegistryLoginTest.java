// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RegistryLoginTest {
    @Test
    void itsHeaderIsReadAgainAndItsTextTellsNoPassword() {
        var login = new RegistryLogin("robot", "with:colon and ü");
        assertThat(RegistryLogin.parse(login.header())).isEqualTo(login);
        assertThat(login.toString()).isEqualTo("robot:…");
        assertThat(RegistryLogin.parse(null)).isNull();
    }

    @Test
    void whatIsNoLoginIsRefusedWithoutBeingTold() {
        for (var odd : new String[] {"Bearer abc", "Basic ***", "Basic cm9ib3Q=", "Basic OnNlY3JldA=="}) {
            assertThatThrownBy(() -> RegistryLogin.parse(odd)).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID_FIELD))
                    .hasMessageNotContaining("secret");
        }
    }
}
