// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// What of a sandbox's doings humans decide: the rules of all its documents, each of which counts. Pure and thread-safe.
public record ApprovalPolicy(List<ApprovalRule> rules) {
    public static final ApprovalPolicy NOTHING = new ApprovalPolicy(List.of());

    public ApprovalPolicy {
        rules = List.copyOf(rules);
    }

    /// `rules`: their ids, in order. `by`: the most that any of them wants; `within`: the least time.
    public record Needed(List<String> rules, int by, Duration within) {}

    public Optional<Needed> exec(List<String> argv) {
        return needed(s -> s instanceof ApprovalRule.Subject.Exec e && e.patterns().stream().anyMatch(p -> p.matches(argv)));
    }

    /// `host` null: an address that the program named itself.
    public Optional<Needed> egress(EgressClass c, @Nullable String host) {
        var name = host == null ? Optional.<HostName>empty() : HostName.parse(host);
        return needed(s -> s instanceof ApprovalRule.Subject.Egress e && (e.classes().isEmpty() || e.classes().contains(c))
                && e.hosts().stream().anyMatch(h -> h instanceof HostPattern.Any || name.filter(h::matches).isPresent()));
    }

    public boolean asksOfEgress() {
        return rules.stream().anyMatch(r -> r.subject() instanceof ApprovalRule.Subject.Egress);
    }

    public Optional<Needed> port(int port) {
        return needed(s -> s instanceof ApprovalRule.Subject.Port p && p.ports().has(port));
    }

    public Optional<Needed> raise(String resource) {
        return needed(s -> s instanceof ApprovalRule.Subject.Raise r && r.resources().contains(resource));
    }

    public Optional<Needed> apply() {
        return needed(s -> s instanceof ApprovalRule.Subject.Apply);
    }

    private Optional<Needed> needed(Predicate<ApprovalRule.Subject> meets) {
        var meeting = rules.stream().filter(r -> meets.test(r.subject())).toList();
        if (meeting.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Needed(meeting.stream().map(ApprovalRule::id).toList(), meeting.stream().mapToInt(ApprovalRule::by).max().orElseThrow(),
                meeting.stream().map(ApprovalRule::within).min(Duration::compareTo).orElseThrow()));
    }

    /// What of these rules the other does not ask for as well.
    public List<ApprovalRule> without(ApprovalPolicy other) {
        return rules.stream().filter(r -> other.rules.stream().noneMatch(o -> o.covers(r))).toList();
    }
}
