// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Amounts;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.policy.Audience;
import dev.redoma.policy.PreviewPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Refusals of what a policy does not let be exposed; each names who does not.
final class PreviewRefusal {
    private PreviewRefusal() {}

    /// The most time that the policy allows; null where it says nothing of it.
    static @Nullable Duration allowed(PreviewPolicy policy, int port, Audience audience) {
        return switch (policy.decide(port, audience)) {
            case PreviewPolicy.Allowed allowed -> allowed.most();
            case PreviewPolicy.Refused refused -> {
                var problem = Problem.of(Code.POLICY_REFUSED, "Port " + port + " cannot be exposed to the audience " + audience.wire() + ": " + refused.why(),
                                "Expose what the policy allows ('redoma policy explain --sandbox S'), or ask for another policy.")
                        .with("field", refused.ofAudience() ? "audience" : "port").with("layer", refused.layer()).with("port", port).with("audience", audience.wire());
                throw (refused.rule() == null ? problem : problem.with("rule", refused.rule())).raise();
            }
        };
    }

    static RedomaException tooLong(int port, Duration asked, Duration most) {
        return Problem.of(Code.POLICY_REFUSED, "ttlMs: " + asked.toMillis() + " (" + Amounts.time(asked) + ") is more than the policy allows for port " + port + ".", "Ask for at most "
                + most.toMillis() + " (" + Amounts.time(most) + ").").with("field", "ttlMs").with("allowed", most.toMillis()).with("port", port).raise();
    }
}
