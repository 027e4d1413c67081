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

    /// The sandbox of that id if it runs or is woken by its use; null where there is none that does, whatever the reason.
    @Nullable Door find(String sandbox);

    /// The id of the sandbox that a request without any target is meant for, as its signature tells; null where none.
    @Nullable String signed(Exchange http);

    /// One sandbox that runs, or that sleeps.
    ///
    /// `caller`: as whom its ports are reached. `asleep`: it must be woken before a port of it is reached; what this server answers itself sees to that. `token`: what the header `e2b-traffic-access-token` must be, null where anybody may come in.
    /// `host`: what `Host` is rewritten to, `${PORT}` replaced; null: it is left. `inside`: ports that this server answers itself, without
    /// asking for the token. `secrets`: values that no header may carry into the sandbox.
    record Door(Caller caller, boolean asleep, @Nullable String token, @Nullable String host, Map<Integer, Endpoint> inside, Set<String> secrets) {}
}
