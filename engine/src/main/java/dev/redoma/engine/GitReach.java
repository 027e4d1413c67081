// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Layer;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.policy.AddressBlock;
import dev.redoma.policy.EffectivePolicy;
import dev.redoma.policy.EgressClass;
import dev.redoma.policy.EgressDecider;
import dev.redoma.policy.EgressDecision;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Whether a policy lets git in a sandbox reach a repository. What can be said before its name is looked up is said before anything is made; what its addresses are, the gateway
/// decides when it dials them.
final class GitReach {
    private static final String FIELD = "workspace.from";

    private GitReach() {}

    static void mustLead(EffectivePolicy policy, GitSource.Remote remote) {
        if (policy.closed()) {
            throw refusal(policy.name(), remote, "none.default", "no-network", "it lets nothing out").raise();
        }
        var decider = new EgressDecider(policy, address -> false);
        EgressDecision told = AddressBlock.address(remote.host()).map(address -> decider.decideLiteral(address, remote.port())).orElseGet(() -> named(decider, remote));
        if (!told.allowed()) {
            throw refusal(policy.name(), remote, told.rule(), told.reason().wire(), told.reason().text()).raise();
        }
    }

    /// By the first class that allows all that git asks; else the refusal that tells most.
    private static EgressDecision named(EgressDecider decider, GitSource.Remote remote) {
        return Arrays.stream(EgressClass.values()).map(c -> asked(decider, c, remote))
                .max(Comparator.<EgressDecision, Boolean>comparing(EgressDecision::allowed).thenComparing(EgressDecision::reason)).orElseThrow();
    }

    private static EgressDecision asked(EgressDecider decider, EgressClass c, GitSource.Remote remote) {
        return Stream.of(decider.decideRequest(c, remote.host(), remote.port(), "GET", remote.path() + "/info/refs"),
                decider.decideRequest(c, remote.host(), remote.port(), "POST", remote.path() + "/git-upload-pack")).min(Comparator.comparing(EgressDecision::allowed)).orElseThrow();
    }

    /// Of what the gateway refused while git was at work.
    static RedomaException onTheWay(String policy, GitSource.Remote remote, Network.Refusal refusal) {
        return refusal(policy, remote, refusal.rule(), refusal.reason(), "the gateway refused " + (refusal.host() == null ? refusal.address() : refusal.host())
                        + (refusal.port() == 0 ? "" : " port " + refusal.port()) + " (" + refusal.reason() + (refusal.address() == null || refusal.host() == null ? "" : ": " + refusal.address()) + ")")
                .raise();
    }

    private static Problem refusal(String policy, GitSource.Remote remote, @Nullable String rule, @Nullable String reason, String why) {
        var problem = Problem.of(Code.POLICY_REFUSED, FIELD + ": the policy " + policy + " does not let git reach " + remote.host() + " port " + remote.port() + ": " + why + ".",
                        "Ask for a policy with a rule for it, such as " + proposal(remote) + " (--policy FILE); for a private address, one of class internal. Or upload the workspace.")
                .at(Layer.POLICY).with("field", FIELD).with("host", remote.host()).with("port", remote.port()).with("policy", policy);
        var ruled = Optional.ofNullable(rule).map(r -> problem.with("rule", r)).orElse(problem);
        return Optional.ofNullable(reason).map(r -> ruled.with("reason", r)).orElse(ruled);
    }

    private static String proposal(GitSource.Remote remote) {
        return "'egress: {web: [{hosts: [\"" + remote.host() + "\"], " + (remote.port() == 443 ? "" : "ports: [" + remote.port() + "], ") + "tls: opaque}]}'";
    }
}
