// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Builds as clients order them: first a name and an id, then what to do. The newest are remembered, in memory. Thread-safe.
final class Tickets {
    private static final int MOST = 1000;

    private final Map<String, Ticket> byId = new LinkedHashMap<>();

    /// `build`: the engine's, once it was started; `steps`: see BuildSteps.
    record Ticket(String id, String tenant, String template, @Nullable String tag, @Nullable String build, List<String> steps, BuildLines lines) {

        Ticket started(String id, List<String> of) {
            return new Ticket(this.id, tenant, template, tag, id, of, lines);
        }
    }

    synchronized Ticket open(Caller caller, String template, @Nullable String tag) {
        var ticket = new Ticket(UUID.randomUUID().toString(), caller.tenant().value(), template, tag, null, List.of(), new BuildLines());
        byId.put(ticket.id(), ticket);
        if (byId.size() > MOST) {
            byId.remove(byId.keySet().iterator().next());
        }
        return ticket;
    }

    synchronized void put(Ticket ticket) {
        byId.put(ticket.id(), ticket);
    }

    synchronized Ticket find(Caller caller, String template, String id) {
        var ticket = byId.get(id);
        if (ticket == null || !ticket.tenant().equals(caller.tenant().value()) || !ticket.template().equals(template)) {
            throw Problem.of(Code.BUILD_NOT_FOUND, "No build '" + Names.shown(id) + "' of that template.", "Build again; builds are remembered until the server ends.").raise();
        }
        return ticket;
    }
}
