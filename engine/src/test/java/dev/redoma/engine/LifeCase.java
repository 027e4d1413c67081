// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.OPERATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.Sandbox;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;

/// What tests of one sandbox's life share: an engine with its stand-ins, and how refusals are caught.
abstract class LifeCase {
    LifeRig rig = new LifeRig();

    @AfterEach
    void close() {
        rig.close();
    }

    void rig(java.util.function.UnaryOperator<EngineConfig> change) {
        rig.close();
        rig = new LifeRig(change);
    }

    static void refused(Code code, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    static RedomaException refusal(ThrowingCallable call) {
        return (RedomaException) org.assertj.core.api.Assertions.catchThrowable(call);
    }

    String state(Sandbox sandbox) {
        return rig.sandboxes().get(OPERATOR, sandbox.id()).state();
    }

    static CreateSandbox template(String name) {
        return new CreateSandbox(name, null, null, null, null, null, null, null, null, null, null, null);
    }

    static Sandboxes.Query all() {
        return new Sandboxes.Query(Set.of(), Map.of(), null, null, 200);
    }
}
