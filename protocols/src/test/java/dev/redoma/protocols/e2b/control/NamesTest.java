// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.Caller;
import dev.redoma.model.RedomaException;
import dev.redoma.model.TenantId;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NamesTest {
    private static final Caller ALICE = new Caller("k", new TenantId("alice"), Set.of());

    @Test
    void aTemplateIsNamedWithOrWithoutNamespaceAndTag() {
        assertThat(Names.reference(ALICE, "base")).isEqualTo("base");
        assertThat(Names.reference(ALICE, "base:v1")).isEqualTo("base:v1");
        assertThat(Names.reference(ALICE, "base:default")).isEqualTo("base:latest");
        assertThat(Names.reference(ALICE, "alice/base:default")).isEqualTo("base:latest");
    }

    @Test
    void anotherNamespaceIsNotFound() {
        assertThatThrownBy(() -> Names.reference(ALICE, "bob/base")).isInstanceOf(RedomaException.class).hasMessageContaining("not found");
    }

    @Test
    void theOldFormOfASandboxsIdIsCut() {
        assertThat(Names.sandbox("sb0123456789abcdefgh-client")).isEqualTo("sb0123456789abcdefgh");
        assertThat(Names.sandbox("sb0123456789abcdefgh")).isEqualTo("sb0123456789abcdefgh");
        assertThat(Names.sandbox("my-box")).isEqualTo("my-box");
    }
}
