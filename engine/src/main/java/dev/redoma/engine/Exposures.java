// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.ExposePort;
import dev.redoma.model.wire.Exposure;
import dev.redoma.policy.Audience;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Ports of sandboxes that are let be reached from outside. A port is closed until it is exposed; what is exposed ends with its time, when it is revoked, when the policy no longer allows it, and with its sandbox. Forks have none.
public interface Exposures {

    /// Exposes a port; the answer's token is told this once. What the policy does not allow is POLICY_REFUSED. A port may be exposed several times, each with a token and an end of its own.
    Exposure expose(Caller caller, String sandbox, ExposePort what);

    /// All of a sandbox, those whose time is over too, the oldest first; without tokens.
    List<Exposure> list(Caller caller, String sandbox);

    /// Ends one. When this returns nobody is let in by it any more, and the connections of those who were are closed. EXPOSURE_NOT_FOUND where there is none.
    void revoke(Caller caller, String sandbox, String exposure);

    /// Ends all of a port, or of the sandbox (null); how many there were.
    int revokeAll(Caller caller, String sandbox, @Nullable Integer port);

    // --- for the router

    /// Whether somebody who shows this token and this key (null: none) is let in.
    Verdict admit(Visitor visitor);

    record Visitor(String sandbox, TenantId tenant, int port, @Nullable String token, @Nullable Caller key) {}

    sealed interface Verdict {}

    record In(String exposure) implements Verdict {}

    /// `code`: PORT_NOT_EXPOSED, EXPOSURE_EXPIRED, WRONG_AUDIENCE, or UNAUTHENTICATED where nothing, or nothing that anybody made, was shown.
    record Out(Code code, String why) implements Verdict {}

    /// While somebody who was let in is there: as soon as the exposure ends, `cutOff` runs, on any thread; at once where it has ended already. To be closed when they leave.
    Visit visit(String exposure, Runnable cutOff);

    /// Open until its visitor leaves.
    interface Visit extends AutoCloseable {
        @Override
        void close();
    }

    /// Whether a policy that says something of previews leaves this port to that audience, exposed or not. For a protocol whose ports are open by an operator's setting.
    boolean leaves(String sandbox, int port, Audience audience);
}
