// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import dev.redoma.model.wire.PolicyProposal;
import dev.redoma.policy.Learned.Of;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Makes of refusals the least policy that would not have refused them, for a human to read: exact hosts, ports, methods and paths, nothing wider, nothing by itself.
public final class Learning {
    private static final int MOST_PATHS = 200;
    /// A path on record is as long at most, and may have been longer.
    private static final int WHOLE_PATH = 1024;
    private static final int METHODS = 32;
    private static final Set<String> OF_REQUESTS = Set.of(Reason.METHOD.wire(), Reason.PATH.wire());

    private Learning() {}

    /// A refusal as it was recorded. `port` 0: only the name was asked for. `address`: what was dialled, where the program named it itself or a name led there. `egressClass` and `rule`:
    /// what refused it; `method` and `path`: of a request.
    public record Refused(@Nullable String host, @Nullable String address, int port, @Nullable String reason, @Nullable String egressClass, @Nullable String rule, @Nullable String method, @Nullable String path) {

        public Refused(@Nullable String host, @Nullable String address, int port, @Nullable String reason) {
            this(host, address, port, reason, null, null, null, null);
        }

        /// Its connection was allowed.
        private boolean request() {
            return reason != null && OF_REQUESTS.contains(reason);
        }

        private boolean internal() {
            return EgressClass.INTERNAL.wire().equals(egressClass);
        }

        private boolean because(Reason what) {
            return what.wire().equals(reason);
        }
    }

    public static PolicyProposal propose(List<Refused> refusals, EffectivePolicy policy) {
        var learned = new Learned();
        var left = new TreeSet<String>();
        for (Refused r : refusals) {
            String asked = r.host() != null ? r.host() : r.address();
            if (asked == null) {
                left.add("Refusals of which only the number is there: they were too many at once, or what they were about was erased.");
                continue;
            }
            objection(r, policy).ifPresentOrElse(left::add, () -> {
                var of = new Of(within(r), plain(asked), r.host() == null, r.host() == null ? List.of() : into(r, policy));
                if (!r.request()) {
                    learned.add(of, r.port());
                } else if (!learned.add(of, r.port(), String.valueOf(r.method()), String.valueOf(r.path()), MOST_PATHS)) {
                    left.add("Requests with more than " + MOST_PATHS + " different paths: the newest are proposed.");
                }
            });
        }
        learned.portless().forEach(host -> left.add(host + ": only its name was asked for, so its port is not known; 443 is proposed."));
        return new PolicyProposal(learned.text(), List.copyOf(left));
    }

    /// Its class is `internal`: it reaches what no other does.
    private static boolean within(Refused r) {
        return r.internal() && (r.request() || r.because(Reason.PORT));
    }

    /// The ranges that the rule which refused it lets its host resolve into.
    private static List<AddressBlock> into(Refused r, EffectivePolicy policy) {
        return within(r) ? policy.layers().stream().flatMap(l -> l.rules().stream()).filter(rule -> r.request() ? rule.id().equals(r.rule()) : speaks(rule, r)).flatMap(rule -> rule.into().stream()).distinct().toList()
                : List.of();
    }

    private static boolean speaks(Rule rule, Refused r) {
        return rule.egressClass() == EgressClass.INTERNAL && HostName.parse(String.valueOf(r.host()))
                .filter(name -> rule.targets().stream().anyMatch(t -> t instanceof Target.Named named && named.hosts().matches(name))).isPresent();
    }

    private static String plain(String asked) {
        return HostName.parse(asked).map(HostName::ascii).orElse(asked);
    }

    /// Why it is not proposed.
    private static Optional<String> objection(Refused r, EffectivePolicy policy) {
        String shown = Flaw.shown(r.host() != null ? r.host() : String.valueOf(r.address()));
        if (r.reason() != null && Arrays.stream(Reason.values()).noneMatch(known -> known != Reason.NO_ADDRESS && known.wire().equals(r.reason()))) {
            boolean spent = r.reason().equals("rate") || r.reason().equals("budget");
            return Optional.of(shown + ": " + Flaw.shown(r.reason()) + (spent ? "; the rule that allows it grants no more (" + r.rule() + ")." : "; no rule would change that."));
        }
        if (r.host() != null && HostName.parse(r.host()).isEmpty()) {
            return Optional.of(shown + ": it is no name of a host.");
        }
        var address = Optional.ofNullable(r.address()).flatMap(AddressBlock::address);
        if (r.host() == null && address.isEmpty()) {
            return Optional.of(shown + ": it is no address that could be named.");
        }
        return where(r, shown, address, policy).or(() -> what(r, shown)).or(() -> around(r, shown, address, policy));
    }

    private static Optional<String> where(Refused r, String shown, Optional<InetAddress> address, EffectivePolicy policy) {
        var kind = address.flatMap(Addresses::kind);
        if (r.because(Reason.NEVER_DIALLED)) {
            String what = kind.filter(k -> !k.internal()).map(k -> " is " + k).orElse(" is one of this host's own");
            return Optional.of(shown + ": its address" + address.map(a -> " " + r.address() + what + "; it").orElse("") + " is never dialled" + split(kind) + ".");
        }
        if (within(r)) {
            return r.host() != null && into(r, policy).isEmpty() ? Optional.of(shown + ": only the class internal reaches it, and the rule that refused it is there no more; a human has to write one.") : Optional.empty();
        }
        return kind.map(k -> shown + ": its address " + r.address() + " is " + k + (k.internal() ? "; only the class internal reaches it, which a human has to write." : "; it is never dialled" + split(kind) + "."));
    }

    /// What an operator can do whose network has public hosts at such addresses.
    private static String split(Optional<AddressKind> kind) {
        return kind.filter(k -> k == AddressKind.RESERVED).map(k -> "; where hosts of this network that are public have such addresses, an operator names their ranges in upstream.public-addresses").orElse("");
    }

    private static Optional<String> what(Refused r, String shown) {
        if (r.because(Reason.AMBIGUOUS_PATH)) {
            return Optional.of(shown + ": a path that can be read in two ways; no rule that names paths would change that.");
        }
        if (!r.request()) {
            return Optional.empty();
        }
        if (r.method() == null || r.path() == null) {
            return Optional.of(shown + ": a request whose method and path are not on record.");
        }
        boolean named = r.method().length() < METHODS && RuleReader.METHOD.matcher(r.method()).matches();
        return named && plainPath(r.path()) ? Optional.empty() : Optional.of(shown + ": a request that no rule could name exactly.");
    }

    /// A pattern that is this path and no other.
    private static boolean plainPath(String path) {
        try {
            return path.length() < WHOLE_PATH && path.indexOf('*') < 0 && new PathPattern(path).matches(path);
        } catch (IllegalArgumentException unfit) {
            return false;
        }
    }

    private static Optional<String> around(Refused r, String shown, Optional<InetAddress> address, EffectivePolicy policy) {
        var around = new EffectivePolicy("around", 0, policy.layers().isEmpty() ? List.of() : policy.layers().subList(0, policy.layers().size() - 1));
        return around.layers().isEmpty() || allows(around, r, address, into(r, policy)) ? Optional.empty() : Optional.of(shown + ": the floor refuses it.");
    }

    private static boolean allows(EffectivePolicy around, Refused r, Optional<InetAddress> address, List<AddressBlock> into) {
        var d = new EgressDecider(around, a -> false);
        if (r.host() != null && r.port() == 0) {
            return d.decideName(r.host()).allowed();
        }
        EgressDecision decision = r.host() == null ? d.decideLiteral(address.orElseThrow(), r.port() > 0 ? r.port() : 443)
                : d.decideConnect(r.host(), r.port(), List.of(into.isEmpty() ? InetAddress.ofLiteral("1.1.1.1") : into.getFirst().first()));
        if (r.request() && decision instanceof EgressDecision.Allow allow) {
            return allow.request(String.valueOf(r.method()), String.valueOf(r.path())).allowed();
        }
        return decision.allowed();
    }
}
