// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Limits;
import dev.redoma.policy.PolicyDocument;
import dev.redoma.policy.PolicyStack;
import dev.redoma.policy.Terms;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What a policy demands of a sandbox beside egress. What a request says itself must lie within it; what it leaves out is taken from it.
final class PolicyTerms {
    private final Terms all;
    private final Terms own;

    private PolicyTerms(Terms all, Terms own) {
        this.all = all;
        this.own = own;
    }

    static PolicyTerms of(PolicyStack stack) {
        List<PolicyDocument> documents = stack.documents();
        return new PolicyTerms(stack.terms(), documents.isEmpty() ? Terms.NONE : documents.getLast().terms());
    }

    /// `standard`: where nobody says anything.
    String privileges(@Nullable String asked, String standard) {
        return strict("privileges", asked, standard, all.privileges(), Terms.PRIVILEGES);
    }

    String reopen(@Nullable String asked, String standard) {
        return strict("reopen", asked, own.reopen() == null ? standard : own.reopen(), all.reopen(), Terms.REOPEN);
    }

    private static String strict(String field, @Nullable String asked, String standard, @Nullable String most, List<String> strictestFirst) {
        String value = asked == null ? standard : asked;
        if (most == null || strictestFirst.indexOf(value) <= strictestFirst.indexOf(most)) {
            return value;
        }
        if (asked != null) {
            throw refused(field, asked, most);
        }
        return most;
    }

    void isolation(Tier tier) {
        if (weaker(tier.name())) {
            throw Problem.of(Code.NOT_ENFORCEABLE, "isolation: the policy demands at least '" + all.isolation() + "', and what would be used is '" + tier.name() + "'.",
                            "Ask for a stronger tier, or see 'redoma doctor' for what this host has.")
                    .with("field", "isolation").raise();
        }
    }

    private boolean weaker(String tier) {
        return all.isolation() != null && Terms.TIERS.indexOf(tier) < Terms.TIERS.indexOf(all.isolation());
    }

    /// What is asked for with what the policy says filled in; `defaults` fill the rest.
    Limits limits(@Nullable Limits request, Limits defaults) {
        Limits asked = request == null ? Limits.DEFAULTS : request;
        return new Limits(one("cpu", asked, defaults, Limits::cpu), one("memoryBytes", asked, defaults, Limits::memoryBytes), one("diskBytes", asked, defaults, Limits::diskBytes),
                one("pids", asked, defaults, Limits::pids), asked.openFiles(), asked.shmBytes(), asked.ioBytesPerSecond(), one("lifetimeMs", asked, defaults, Limits::lifetimeMs),
                one("idleMs", asked, defaults, Limits::idleMs));
    }

    private <T extends Comparable<T>> @Nullable T one(String field, Limits asked, Limits defaults, Function<Limits, @Nullable T> of) {
        T wanted = of.apply(asked);
        T most = of.apply(all.limits());
        if (wanted != null) {
            if (most != null && wanted.compareTo(most) > 0) {
                throw refused("limits." + field, wanted, most);
            }
            return wanted;
        }
        if (most == null) {
            return null;
        }
        T standard = of.apply(own.limits()) != null ? of.apply(own.limits()) : of.apply(defaults);
        return standard == null || standard.compareTo(most) > 0 ? most : standard;
    }

    /// A lifetime that is set while the sandbox lives.
    void lifetime(long millis) {
        Long most = all.limits().lifetimeMs();
        if (most != null && millis > most) {
            throw refused("lifetimeMs", millis, most);
        }
    }

    /// Whether a sandbox that exists is what the policy demands: nothing of this is changed while it lives.
    void hold(SandboxRow row) {
        if (weaker(row.isolation().tier())) {
            throw refused("isolation", row.isolation().tier(), String.valueOf(all.isolation()));
        }
        strict("privileges", row.privileges(), "none", all.privileges(), Terms.PRIVILEGES);
        strict("reopen", row.reopen(), "none", all.reopen(), Terms.REOPEN);
        limits(row.limits(), row.limits());
    }

    private static RedomaException refused(String field, Object asked, Object most) {
        return Problem.of(Code.POLICY_REFUSED, field + ": " + asked + " is more than the policy allows (" + most + ").", "Ask for no more than that, or for another policy.")
                .with("field", field).with("allowed", most).raise();
    }
}
