// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.Exposures.In;
import dev.redoma.engine.Exposures.Out;
import dev.redoma.engine.Exposures.Verdict;
import dev.redoma.engine.Exposures.Visitor;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.SandboxId;
import dev.redoma.model.Scope;
import dev.redoma.policy.Audience;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Decides who comes in by what is exposed. Memory alone; thread-safe.
record Doorkeeper(ExposureBook book, ExposureTokens tokens, Clock clock) {
    private static final Out NOT_EXPOSED = new Out(Code.PORT_NOT_EXPOSED, "This port is not exposed.");
    private static final Out EXPIRED = new Out(Code.EXPOSURE_EXPIRED, "The time for which this port was exposed is over.");
    private static final Out REVOKED = new Out(Code.PORT_NOT_EXPOSED, "What this token opened was revoked.");
    private static final Out TOKEN_EXPIRED = new Out(Code.EXPOSURE_EXPIRED, "The time of this token is over.");
    private static final Out OTHERS_TOKEN = new Out(Code.WRONG_AUDIENCE, "This token opens another port, or one of another sandbox.");
    private static final Out OTHERS_KEY = new Out(Code.WRONG_AUDIENCE, "This port is not exposed to the holder of this key.");
    private static final Out NOTHING_SHOWN = new Out(Code.UNAUTHENTICATED, "This port is exposed to those who show a token or a key, and there is none.");
    private static final Out UNKNOWN_TOKEN = new Out(Code.UNAUTHENTICATED, "This token was not made here.");

    Verdict admit(Visitor visitor) {
        Instant now = clock.instant();
        List<ExposureRow> all = book.of(new SandboxId(visitor.sandbox())).stream().filter(e -> e.port() == visitor.port()).toList();
        List<ExposureRow> open = all.stream().filter(e -> !e.expired(now)).toList();
        Optional<ExposureRow> anybody = first(open, Audience.PUBLIC);
        if (anybody.isPresent()) {
            return new In(anybody.get().id().value());
        }
        if (visitor.key() != null && comesByKey(visitor.key(), visitor)) {
            Optional<ExposureRow> tenant = first(open, Audience.TENANT);
            if (tenant.isPresent()) {
                return new In(tenant.get().id().value());
            }
        }
        if (visitor.token() != null) {
            Verdict told = byToken(visitor, visitor.token(), now);
            return told instanceof Out out && (out.code() == Code.UNAUTHENTICATED || out.code() == Code.WRONG_AUDIENCE) && open.isEmpty() ? closed(all) : told;
        }
        if (open.isEmpty()) {
            return closed(all);
        }
        return visitor.key() == null ? NOTHING_SHOWN : OTHERS_KEY;
    }

    private static Out closed(List<ExposureRow> all) {
        return all.isEmpty() ? NOT_EXPOSED : EXPIRED;
    }

    private static Optional<ExposureRow> first(List<ExposureRow> open, Audience audience) {
        return open.stream().filter(e -> e.audience() == audience).findFirst();
    }

    private static boolean comesByKey(Caller key, Visitor visitor) {
        return key.operator() || key.tenant().equals(visitor.tenant()) && (key.scopes().contains(Scope.READ) || key.scopes().contains(Scope.EXEC));
    }

    /// Whose token it is comes before what it opens now: a token of another sandbox is checked against that one's tenant.
    private Verdict byToken(Visitor visitor, String token, Instant now) {
        var said = ExposureTokens.read(token).orElse(null);
        if (said == null) {
            return UNKNOWN_TOKEN;
        }
        boolean here = said.sandbox().value().equals(visitor.sandbox());
        ExposureRow row = book.find(said.id().value());
        var tenant = here ? visitor.tenant() : row == null ? null : row.tenant();
        if (tenant == null || !tokens.genuine(said, tenant)) {
            return UNKNOWN_TOKEN;
        }
        if (!here || said.port() != visitor.port() || said.audience() != Audience.TOKEN) {
            return OTHERS_TOKEN;
        }
        if (!now.isBefore(said.expiresAt())) {
            return TOKEN_EXPIRED;
        }
        return row == null ? REVOKED : new In(row.id().value());
    }
}
