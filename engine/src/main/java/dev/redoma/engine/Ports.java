// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.TenantId;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Optional;

/// What listens in a sandbox, reached from outside.
public interface Ports {

    /// A blocking connection to a port of the sandbox's own loopback (127.0.0.1, else ::1), which the caller closes. It counts as activity when it is made and
    /// ends, and whenever it carries something; it lasts until it is closed or the sandbox ends. NOTHING_LISTENS where nothing does.
    SocketChannel connect(Caller caller, String sandbox, int port);

    /// As any use: the sandbox runs when this returns, and one that sleeps is resumed for it. Refused where it cannot be.
    void awake(Caller caller, String sandbox);

    /// The sandbox of that id, whoever asks; empty where there is none. Of one that is known to run nothing is read. What ended, paused or resumed it was not answered before this tells so.
    Optional<Seen> seen(String sandbox);

    /// What the router has to know of a sandbox: its state, and what never changes. `by`: the key that made it. `sleeps`: paused, it is resumed by its use.
    record Seen(String id, TenantId tenant, String by, String state, boolean sleeps, Map<String, String> labels) {}
}
