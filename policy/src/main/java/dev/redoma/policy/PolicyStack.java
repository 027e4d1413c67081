// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.PolicySources;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The documents of an effective policy, the outermost first.
public record PolicyStack(String name, List<PolicyDocument> documents) {

    public PolicyStack {
        documents = List.copyOf(documents);
    }

    /// From what was stored: read again, and refused where this version does not take it.
    public static PolicyStack of(PolicySources sources) {
        return new PolicyStack(sources.name(), sources.documents().stream().map(d -> PolicyFile.read(d.layer(), d.source(), d.text())).toList());
    }

    public PolicySources sources() {
        return new PolicySources(name, documents.stream().map(d -> new PolicySources.Document(d.layer(), d.source(), d.text())).toList());
    }

    public EffectivePolicy effective(long epoch) {
        return new EffectivePolicy(name, epoch, documents.stream().map(PolicyDocument::egress).toList());
    }

    /// What runs in a new sandbox before it is anybody's.
    public Optional<SetUp> setUp() {
        return documents.isEmpty() ? Optional.empty() : Optional.ofNullable(documents.getLast().setUp());
    }

    /// As it is while that runs: the same floors around its rules.
    public PolicyStack inSetUp() {
        PolicyDocument last = documents.getLast();
        var during = new ArrayList<>(documents.subList(0, documents.size() - 1));
        during.add(new PolicyDocument(SetUpReader.layer(last.layer()), last.source(), last.text(), Terms.NONE, setUp().orElseThrow().rules(), null, last.approve(), null, Keeping.NONE));
        return new PolicyStack(name, during);
    }

    public PreviewPolicy preview() {
        return new PreviewPolicy(documents.stream().map(d -> new PreviewPolicy.Layer(d.layer(), d.source(), d.preview())).toList());
    }

    public ApprovalPolicy approvals() {
        return new ApprovalPolicy(documents.stream().flatMap(d -> d.approve().stream()).toList());
    }

    public Terms terms() {
        return documents.stream().map(PolicyDocument::terms).reduce(Terms.NONE, Terms::and);
    }

    /// Patterns of files that are kept: what any document says.
    public List<String> artifacts() {
        return documents.stream().flatMap(d -> d.keeping().artifacts().stream()).distinct().toList();
    }

    /// How long they stay: the shortest that any document says.
    public java.util.Optional<java.time.Duration> keepArtifacts() {
        return documents.stream().map(d -> d.keeping().longest()).filter(java.util.Objects::nonNull).min(java.util.Comparator.naturalOrder());
    }

    /// SHA-256 over layer, source and text of each document, each with its length.
    public String digest() {
        try {
            var sha = MessageDigest.getInstance("SHA-256");
            for (PolicyDocument d : documents) {
                for (String part : List.of(d.layer(), d.source(), d.text())) {
                    byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
                    sha.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
                    sha.update(bytes);
                }
            }
            return "sha256:" + HexFormat.of().formatHex(sha.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /// Refuses, with the place of the rule, what the gateway here does not enforce.
    public PolicyStack mustBeEnforced(Set<Feature> offered) {
        if (setUp().isPresent()) {
            inSetUp().mustBeEnforced(offered);
        }
        EffectivePolicy policy = effective(0);
        if (policy.closed()) {
            return this;
        }
        for (EgressClass c : EgressClass.values()) {
            if (policy.layers().stream().allMatch(l -> l.of(c).stream().anyMatch(r -> !r.deny()))) {
                policy.layers().reversed().forEach(l -> l.of(c).stream().filter(r -> !r.deny()).forEach(r -> mustBeEnforced(r, offered)));
            }
        }
        return this;
    }

    private static void mustBeEnforced(Rule rule, Set<Feature> offered) {
        needed(Feature.EGRESS, true, rule, offered);
        needed(Feature.INTERCEPTION, rule.handling() == Rule.Handling.INTERCEPT, rule, offered);
        needed(Feature.RATES, rule.rate() != null, rule, offered);
        needed(Feature.BYTES, rule.bytes() != null, rule, offered);
    }

    private static void needed(Feature feature, boolean needed, Rule rule, Set<Feature> offered) {
        if (!needed || offered.contains(feature)) {
            return;
        }
        String remedy = feature == Feature.EGRESS ? "Use the policy none." : feature == Feature.INTERCEPTION ? "Write 'tls: opaque', which sees names only, and leave methods and paths out." : "Leave it out.";
        var problem = Problem.of(Code.NOT_ENFORCEABLE, rule.place() + ": " + rule.id() + ": " + feature + " is not enforceable here yet.", remedy).at(dev.redoma.model.Layer.POLICY)
                .with("field", "policy").with("rule", rule.id()).with("feature", feature.name().toLowerCase(java.util.Locale.ROOT));
        throw (rule.place().line() > 0 ? problem.with("line", rule.place().line()).with("column", rule.place().column()) : problem).raise();
    }

    /// Refuses a rule of the innermost document of which the layers around it leave nothing: it would have no effect.
    public PolicyStack mustHaveEffect() {
        if (documents.isEmpty()) {
            return this;
        }
        if (setUp().isPresent()) {
            inSetUp().mustHaveEffect();
        }
        List<PolicyDocument> around = documents.subList(0, documents.size() - 1);
        previewsMustHaveEffect(documents.getLast(), around);
        for (Rule rule : documents.getLast().rules()) {
            if (rule.deny()) {
                continue;
            }
            for (PolicyDocument outer : around) {
                if (outer.rules().stream().noneMatch(o -> !o.deny() && o.egressClass() == rule.egressClass() && meet(o, rule))) {
                    throw nothingLeft(rule.id(), rule.place(), outer);
                }
            }
        }
        return this;
    }

    private static void previewsMustHaveEffect(PolicyDocument asked, List<PolicyDocument> around) {
        for (PreviewRule rule : asked.preview() == null ? List.<PreviewRule>of() : asked.preview()) {
            for (PolicyDocument outer : around) {
                if (outer.preview() != null && outer.preview().stream().noneMatch(rule::meets)) {
                    throw nothingLeft(rule.id(), rule.place(), outer);
                }
            }
        }
    }

    private static RedomaException nothingLeft(String rule, Rule.Place place, PolicyDocument outer) {
        return Problem.of(Code.POLICY_REFUSED, place + ": " + rule + ": the " + outer.layer() + " (" + outer.source() + ") leaves nothing of it.", "Leave it out, or ask an operator to raise the floor.")
                .with("field", "policy").with("rule", rule).with("layer", outer.layer()).with("line", place.line()).raise();
    }

    private static boolean meet(Rule outer, Rule inner) {
        return outer.targets().stream().anyMatch(o -> inner.targets().stream().anyMatch(i -> meet(o, i, outer.egressClass()))) && rangesMeet(outer, inner);
    }

    /// A rule without ranges leads to public addresses alone.
    private static boolean rangesMeet(Rule outer, Rule inner) {
        if (outer.into().isEmpty() || inner.into().isEmpty()) {
            return outer.into().isEmpty() && inner.into().isEmpty() || Stream.concat(outer.into().stream(), inner.into().stream()).anyMatch(b -> Regions.INTERNAL.stream().noneMatch(p -> p.covers(b)));
        }
        return outer.into().stream().anyMatch(o -> inner.into().stream().anyMatch(o::meets));
    }

    private static boolean meet(Target outer, Target inner, EgressClass c) {
        boolean ports = Arrays.stream(new Ports[] {outer.ports(), inner.ports()}).flatMap(p -> p.ranges().stream()).anyMatch(r -> outer.ports().has(r.from()) && inner.ports().has(r.from()));
        return ports && switch (inner) {
            case Target.Named i -> outer instanceof Target.Named o && (o.hosts().covers(i.hosts()) || i.hosts().covers(o.hosts()))
                    || outer instanceof Target.Numbered && i.hosts() instanceof HostPattern.Any && c == EgressClass.WEB;
            case Target.Numbered i -> switch (outer) {
                case Target.Numbered o -> o.block().meets(i.block());
                case Target.Named o -> o.hosts() instanceof HostPattern.Any && c == EgressClass.WEB;
            };
        };
    }
}
