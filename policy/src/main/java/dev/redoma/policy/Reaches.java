// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.PolicyDifference;
import dev.redoma.model.wire.PolicyReach;
import dev.redoma.policy.EgressDecision.Allow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/// What can be reached under one policy and not under another. Exact in classes, hosts, ports, addresses and methods; paths are compared as they are written, so that a line too much is possible there and a
/// line too few is not.
public final class Reaches {
    private static final long MOST = 3_000_000;
    private static final int HTTP = 80;

    private final EffectivePolicy before;
    private final EffectivePolicy after;
    private final Map<Key, List<Ports.Range>> found = new LinkedHashMap<>();

    private Reaches(EffectivePolicy before, EffectivePolicy after) {
        this.before = before;
        this.after = after;
    }

    private record Key(EgressClass egressClass, String hosts, String to, Passage passage, List<String> methods, List<String> paths, List<String> rules) {}

    public static PolicyDifference difference(EffectivePolicy before, EffectivePolicy after) {
        return new PolicyDifference(opened(before, after), opened(after, before));
    }

    /// All that can leave.
    public static List<PolicyReach> of(EffectivePolicy policy) {
        return opened(EffectivePolicy.NONE, policy);
    }

    public static List<PolicyReach> opened(EffectivePolicy before, EffectivePolicy after) {
        var reaches = new Reaches(before, after);
        for (EgressClass c : EgressClass.values()) {
            if (after.layers().stream().anyMatch(l -> !l.of(c).isEmpty())) {
                reaches.in(c);
            }
        }
        var lines = reaches.found.entrySet().stream().map(e -> reach(e.getKey(), new Ports(e.getValue()))).toList();
        return lines.stream().map(line -> lines.contains(twin(line)) ? either(line) : line).distinct().toList();
    }

    private static PolicyReach reach(Key k, Ports ports) {
        return new PolicyReach(k.egressClass().wire(), k.hosts(), ports.toString(), k.to(), k.passage().name().toLowerCase(java.util.Locale.ROOT), k.methods(), k.paths(), k.rules());
    }

    /// The same of the other family of addresses.
    private static PolicyReach twin(PolicyReach r) {
        return r.to().contains(" IPv4 ") ? with(r, " IPv4 ", " IPv6 ") : with(r, " IPv6 ", " IPv4 ");
    }

    private static PolicyReach either(PolicyReach r) {
        return with(with(r, " IPv4 ", " "), " IPv6 ", " ");
    }

    private static PolicyReach with(PolicyReach r, String word, String instead) {
        return new PolicyReach(r.egressClass(), r.hosts().replace(word, instead), r.ports(), r.to().replace(word, instead), r.passage(), r.methods(), r.paths(), r.rules());
    }

    private void in(EgressClass c) {
        var regions = new Regions(List.of(before, after), c);
        var ports = regions.ports();
        var names = regions.names();
        var numbers = regions.numbers();
        bounded(((long) names.size() + 1) * ports.size() * numbers.size());
        for (Regions.Names name : names) {
            for (Regions.Numbers number : numbers) {
                each(c, ports, name.pattern().toString(), number.toString(), (d, port) -> d.connectIn(c, name.sample(), port, List.of(number.sample())));
            }
        }
        // HTTP without TLS to an address that a program names itself is refused, whatever rules say.
        var literal = c == EgressClass.WEB ? ports.stream().flatMap(Reaches::withoutHttp).toList() : ports;
        for (Regions.Numbers number : numbers) {
            each(c, literal, number.toString(), number.toString(), (d, port) -> d.literalIn(c, number.sample(), port));
        }
    }

    private static Stream<Ports.Range> withoutHttp(Ports.Range range) {
        if (range.from() > HTTP || range.to() < HTTP) {
            return Stream.of(range);
        }
        var below = range.from() < HTTP ? Stream.of(new Ports.Range(range.from(), HTTP - 1)) : Stream.<Ports.Range>empty();
        return Stream.concat(below, range.to() > HTTP ? Stream.of(new Ports.Range(HTTP + 1, range.to())) : Stream.empty());
    }

    private void bounded(long work) {
        int rules = before.layers().stream().mapToInt(l -> l.rules().size()).sum() + after.layers().stream().mapToInt(l -> l.rules().size()).sum();
        if (work * Math.max(1, rules) > MOST * 10) {
            throw Problem.of(Code.PAYLOAD_TOO_LARGE, "These policies have too many parts to compare.", "Name fewer hosts, ports and ranges.").raise();
        }
    }

    private void each(EgressClass c, List<Ports.Range> ports, String hosts, String to, BiFunction<EgressDecider, Integer, EgressDecision> ask) {
        var old = new EgressDecider(before, a -> false);
        var now = new EgressDecider(after, a -> false);
        for (Ports.Range range : ports) {
            if (ask.apply(now, range.from()) instanceof Allow allow) {
                compare(c, range, hosts, to, ask.apply(old, range.from()), allow);
            }
        }
    }

    private void compare(EgressClass c, Ports.Range range, String hosts, String to, EgressDecision old, Allow now) {
        var methods = new TreeSet<String>();
        now.candidates().forEach(rules -> rules.forEach(r -> methods.addAll(r.methods())));
        if (old instanceof Allow allow) {
            allow.candidates().forEach(rules -> rules.forEach(r -> methods.addAll(r.methods())));
        }
        methods.add("*");
        var opened = new LinkedHashMap<List<String>, List<String>>();
        for (String method : methods) {
            Ability can = Ability.of(now, method);
            Ability could = Ability.of(old, method);
            if (can != null && (could == null || !can.within(could))) {
                opened.computeIfAbsent(can.told(), p -> new ArrayList<>()).add(method);
            }
        }
        opened.forEach((paths, some) -> {
            List<String> told = some.contains("*") && some.size() == methods.size() ? List.of() : some;
            found.computeIfAbsent(new Key(c, hosts, to, now.passage(), told, paths, rules(now)), k -> new ArrayList<>()).add(range);
        });
    }

    private static List<String> rules(Allow allow) {
        return allow.candidates().stream().flatMap(List::stream).map(r -> r.id() + " from " + r.place()).toList();
    }

}
