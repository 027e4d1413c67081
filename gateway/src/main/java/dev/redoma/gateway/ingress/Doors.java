// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.http.Endpoint;
import dev.redoma.http.Exchange;
import dev.redoma.model.Caller;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What the router has to know of sandboxes.
public interface Doors {

    /// A port of the sandbox of that id; null where there is none that has not ended.
    @Nullable Door find(String sandbox, int port);

    /// The id of the sandbox that a request without any target is meant for, as its signature tells; null where none.
    @Nullable String signed(Exchange http);

    /// Whose key this is; null where it is none of this installation.
    @Nullable Caller keyed(String text);

    /// Whether that key is still what it was when it was shown: not revoked, not rotated, its person's role not changed.
    boolean stands(Caller key);

    /// A port of one sandbox.
    ///
    /// `caller`: as whom it is reached. `state`: of the sandbox; `asleep`: it must be woken before a port of it is reached; what this server answers itself sees to that. `open`: anybody may come in, exposed or not. `token`: who shows it in the
    /// header `e2b-traffic-access-token` may come in, exposed or not; null: nobody by that. `host`: what `Host` is rewritten to, `${PORT}` replaced; null: it is left. `inside`: ports that this server answers
    /// itself, without asking for anything. `secrets`: values that no header may carry into the sandbox.
    record Door(Caller caller, String state, boolean asleep, boolean open, @Nullable String token, @Nullable String host, Map<Integer, Endpoint> inside, Set<String> secrets) {

        boolean runs() {
            return asleep || state.equals("running") || state.equals("creating");
        }
    }
}
