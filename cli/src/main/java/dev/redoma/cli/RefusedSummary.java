// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaApiException;
import dev.redoma.client.SandboxHandle;
import dev.redoma.model.Amounts;
import dev.redoma.model.wire.Refusals;
import java.util.ArrayList;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How much of what wanted out of a sandbox its policy refused while a command ran. Nothing is said where nothing was refused, or where nobody could count (no network at all, or the
/// sandbox has ended).
final class RefusedSummary {
    private final SandboxHandle box;
    private final @Nullable Refusals before;

    private RefusedSummary(SandboxHandle box, @Nullable Refusals before) {
        this.box = box;
        this.before = before;
    }

    /// From now on.
    static RefusedSummary from(SandboxHandle box) {
        return new RefusedSummary(box, refused(box));
    }

    /// In its whole life.
    static RefusedSummary of(SandboxHandle fresh) {
        return new RefusedSummary(fresh, new Refusals(0, 0, 0, 0));
    }

    private static @Nullable Refusals refused(SandboxHandle box) {
        try {
            return box.usage().refused();
        } catch (RedomaApiException gone) {
            return null; // what matters about it is told by the call that runs the command
        }
    }

    void print(Io io, boolean json) {
        var now = before == null ? null : refused(box);
        if (now == null || before == null) {
            return;
        }
        var refused = now.since(before);
        if (refused.all() <= 0) {
            return;
        }
        if (json) {
            Events.line(io, "refused", Map.of("names", refused.names(), "connections", refused.connections(), "requests", refused.requests(), "packets", refused.packets()));
        } else {
            io.err().println("redoma: the policy refused " + text(refused) + "; 'redoma policy learn " + box.id() + "' says which");
        }
    }

    static String text(Refusals refused) {
        var parts = new ArrayList<String>();
        add(parts, refused.names(), "name");
        add(parts, refused.connections(), "connection");
        add(parts, refused.requests(), "request");
        add(parts, refused.packets(), "packet");
        return parts.size() < 2 ? String.join("", parts) : String.join(", ", parts.subList(0, parts.size() - 1)) + " and " + parts.getLast();
    }

    private static void add(ArrayList<String> parts, long number, String one) {
        if (number > 0) {
            parts.add(Amounts.count(number, one));
        }
    }
}
