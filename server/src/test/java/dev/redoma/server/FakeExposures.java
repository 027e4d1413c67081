// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Exposures;
import dev.redoma.engine.Sandboxes;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.ExposePort;
import dev.redoma.model.wire.Exposure;
import dev.redoma.policy.Audience;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Nothing is exposed, and nothing can be.
record FakeExposures(Sandboxes sandboxes) implements Exposures {
    @Override
    public Exposure expose(Caller caller, String sandbox, ExposePort what) {
        sandboxes.get(caller, sandbox);
        throw Problem.of(Code.POLICY_REFUSED, "Nothing can be exposed.", "Ask for another policy.").raise();
    }

    @Override
    public List<Exposure> list(Caller caller, String sandbox) {
        sandboxes.get(caller, sandbox);
        return List.of();
    }

    @Override
    public void revoke(Caller caller, String sandbox, String exposure) {
        sandboxes.get(caller, sandbox);
        throw Problem.of(Code.EXPOSURE_NOT_FOUND, "There is none.", "List them.").raise();
    }

    @Override
    public int revokeAll(Caller caller, String sandbox, @Nullable Integer port) {
        sandboxes.get(caller, sandbox);
        return 0;
    }

    @Override
    public Verdict admit(Visitor visitor) {
        return new Out(Code.PORT_NOT_EXPOSED, "Nothing is exposed.");
    }

    @Override
    public Visit visit(String exposure, Runnable cutOff) {
        cutOff.run();
        return () -> {};
    }

    @Override
    public boolean leaves(String sandbox, int port, Audience audience) {
        return true;
    }
}
