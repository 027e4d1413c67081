// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What a document lets be exposed: ports, to at most that audience, for at most that time (null: it says nothing of it). `id` is unique in an effective policy (`request.preview[0]`).
public record PreviewRule(String id, Ports ports, Audience audience, @Nullable Duration ttl, Rule.Place place) {

    /// Whether they speak of a port in common: then they have an audience in common as well.
    boolean meets(PreviewRule other) {
        return ports.ranges().stream().anyMatch(r -> other.ports.ranges().stream().anyMatch(o -> r.from() <= o.to() && o.from() <= r.to()));
    }

    /// Whether it takes nothing from the other.
    boolean covers(PreviewRule other) {
        boolean all = other.ports.ranges().stream().allMatch(o -> ports.ranges().stream().anyMatch(r -> r.from() <= o.from() && o.to() <= r.to()));
        return all && other.audience.within(audience) && (ttl == null || other.ttl != null && other.ttl.compareTo(ttl) <= 0);
    }

    String says() {
        return "lets ports " + ports + " be exposed to the audience " + audience.wire() + (audience == Audience.TENANT ? "" : " or a narrower one") + (ttl == null ? "" : ", for at most " + dev.redoma.model.Amounts.time(ttl));
    }
}
