// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import dev.redoma.policy.Rule.Handling;
import dev.redoma.policy.Rule.Place;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.Node;

/// Reads the rules of one class.
record RuleReader(Fields fields, String layer, String source, EgressClass egressClass) {
    private static final int MOST = 256;
    static final Pattern METHOD = Pattern.compile("[A-Z][A-Z-]{0,30}");
    private static final Pattern RATE = Pattern.compile("([1-9][0-9]{0,8})/(s|m|h)");
    private static final Pattern RANGE = Pattern.compile("([1-9][0-9]{0,4})(?:-([1-9][0-9]{0,4}))?");
    private static final Set<String> WEB = Set.of("hosts", "deny", "port", "ports", "methods", "paths", "rate", "bytes", "tls", "secret");
    private static final Set<String> INTERNAL = Set.of("host", "cidr", "cidrs", "deny", "port", "ports", "methods", "paths", "rate", "bytes", "tls", "secret");
    private static final Set<String> PACKAGES = Set.of("hosts", "deny", "port", "ports", "rate", "bytes", "registry", "mode", "min-age", "names", "scripts", "natives", "cache");
    private static final List<String> NOT_YET = List.of("secret", "registry", "mode", "min-age", "names", "scripts", "natives", "cache");

    Rule read(Node node, int index) {
        String what = "egress." + egressClass.wire() + "[" + index + "]";
        Map<String, Node> keys = fields.mapping(node, what, known());
        for (String key : NOT_YET) {
            Node value = keys.get(key);
            if (value != null) {
                throw Fields.unenforceable(value, "'" + key + "' of " + egressClass.wire());
            }
        }
        boolean deny = keys.containsKey("deny");
        Set<String> methods = keys.containsKey("methods") ? Set.copyOf(fields.values(keys.get("methods"), "methods", 16, this::method)) : Set.of();
        List<PathPattern> paths = keys.containsKey("paths") ? fields.values(keys.get("paths"), "paths", MOST, this::path) : List.of();
        if (deny) {
            onlyTargets(node, keys);
        }
        Ports ports = ports(node, keys, deny);
        List<Target> targets = targets(node, keys, ports, deny);
        List<AddressBlock> into = keys.containsKey("cidrs") ? fields.values(keys.get("cidrs"), "cidrs", MOST, this::block) : List.of();
        if (!into.isEmpty() && !keys.containsKey("host")) {
            throw Fields.at(node, "cidrs are the ranges that a host may resolve into: host is missing");
        }
        Handling handling = handling(keys, !methods.isEmpty() || !paths.isEmpty());
        Rate rate = keys.containsKey("rate") ? rate(keys.get("rate")) : null;
        Long bytes = keys.containsKey("bytes") ? (Long) PolicyFile.size(fields, keys.get("bytes"), "bytes") : null;
        Place place = node.getStartMark().map(m -> new Place(layer, source, m.getLine() + 1, m.getColumn() + 1)).orElseGet(() -> new Place(layer, source, 0, 0));
        return new Rule(layer + "." + egressClass.wire() + "[" + index + "]", egressClass, deny, targets, into, methods, paths, handling, rate, bytes, place);
    }

    private Set<String> known() {
        return switch (egressClass) {
            case INTERNAL -> INTERNAL;
            case PACKAGES -> PACKAGES;
            case WEB, GIT, WEBHOOKS -> WEB;
        };
    }

    private static void onlyTargets(Node node, Map<String, Node> keys) {
        if (!Set.of("deny", "port", "ports").containsAll(keys.keySet())) {
            throw Fields.at(node, "a rule with deny has nothing else but ports");
        }
    }

    private String method(Node node) {
        String text = fields.text(node, "methods");
        if (!METHOD.matcher(text).matches()) {
            throw Fields.at(node, "'" + Flaw.shown(text) + "' is no method; methods are written in capitals");
        }
        return text;
    }

    private PathPattern path(Node node) {
        String text = fields.text(node, "paths");
        try {
            return new PathPattern(text);
        } catch (IllegalArgumentException unfit) {
            throw Fields.at(node, "'" + Flaw.shown(text) + "' is no pattern of paths, such as /api/v1/** or /files/*.txt");
        }
    }

    private Ports ports(Node node, Map<String, Node> keys, boolean deny) {
        Node given = keys.containsKey("ports") ? keys.get("ports") : keys.get("port");
        if (keys.containsKey("ports") && keys.containsKey("port")) {
            throw Fields.at(node, "port and ports are both there");
        }
        if (given == null) {
            if (egressClass == EgressClass.INTERNAL && !deny) {
                throw Fields.at(node, "a rule of class internal names its port or ports");
            }
            return deny ? Ports.ANY : Ports.of(443);
        }
        var ranges = fields.values(given, "ports", 64, n -> ports(fields, n));
        return new Ports(ranges.stream().flatMap(p -> p.ranges().stream()).toList());
    }

    static Ports ports(Fields fields, Node node) {
        String text = fields.text(node, "ports");
        if (text.equals("any")) {
            return Ports.ANY;
        }
        var found = RANGE.matcher(text);
        if (found.matches()) {
            try {
                int from = Integer.parseInt(found.group(1));
                return Ports.of(new Ports.Range(from, found.group(2) == null ? from : Integer.parseInt(found.group(2))));
            } catch (IllegalArgumentException unfit) {
                // told below
            }
        }
        throw Fields.at(node, "'" + Flaw.shown(text) + "' is neither a port, nor a range such as 8000-8100, nor any");
    }

    private List<Target> targets(Node node, Map<String, Node> keys, Ports ports, boolean deny) {
        var targets = new ArrayList<Target>();
        for (String key : List.of("deny", "hosts", "host")) {
            if (keys.containsKey(key)) {
                targets.addAll(fields.values(keys.get(key), key, MOST, n -> target(n, ports, deny)));
            }
        }
        if (keys.containsKey("cidr")) {
            targets.addAll(fields.values(keys.get("cidr"), "cidr", MOST, n -> new Target.Numbered(block(n), ports)));
        }
        if (targets.isEmpty()) {
            throw Fields.at(node, "it names no hosts");
        }
        if (egressClass == EgressClass.INTERNAL && !deny && keys.containsKey("host") == keys.containsKey("cidr")) {
            throw Fields.at(node, "a rule of class internal has a host or a cidr, one of them");
        }
        return targets;
    }

    /// A host, `*.suffix`, `*`, an address or a range of them; each but the range may have `:port` behind it.
    private Target target(Node node, Ports ports, boolean deny) {
        String text = fields.text(node, "hosts");
        var block = AddressBlock.parse(text);
        if (block.isPresent()) {
            return numbered(node, block.get(), ports, deny);
        }
        int colon = text.lastIndexOf(':');
        Ports own = colon < 0 ? ports : port(node, text, text.substring(colon + 1));
        String host = colon < 0 ? text : text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        var address = AddressBlock.address(bracketed ? host.substring(1, host.length() - 1) : host);
        if (address.isPresent() && bracketed == (address.get() instanceof java.net.Inet6Address)) {
            return numbered(node, AddressBlock.of(address.get()), own, deny);
        }
        return HostPattern.parse(host).<Target>map(p -> new Target.Named(p, own))
                .orElseThrow(() -> Fields.at(node, "'" + Flaw.shown(text) + "' is neither a host, nor *.suffix, nor an address written plainly"));
    }

    private static Ports port(Node node, String text, String port) {
        if (!port.matches("[1-9][0-9]{0,4}") || Integer.parseInt(port) > 65_535) {
            throw Fields.at(node, "'" + Flaw.shown(text) + "' has no port behind the colon");
        }
        return Ports.of(Integer.parseInt(port));
    }

    private Target numbered(Node node, AddressBlock block, Ports ports, boolean deny) {
        if (!deny && egressClass == EgressClass.INTERNAL) {
            throw Fields.at(node, "an address is written as cidr, not as host");
        }
        if (!deny && inside(block)) {
            throw Fields.at(node, "'" + block + "' is not public: only the class internal reaches private ranges");
        }
        return new Target.Numbered(block, ports);
    }

    private static boolean inside(AddressBlock block) {
        return Addresses.kind(block.first()).isPresent() && Addresses.kind(block.last()).isPresent() && block.prefix() >= 7;
    }

    private AddressBlock block(Node node) {
        String text = fields.text(node, "cidr");
        AddressBlock block = AddressBlock.parse(text).orElseThrow(() -> Fields.at(node, "'" + Flaw.shown(text) + "' is no range such as 10.1.0.0/16 without bits behind the prefix"));
        for (InetAddress end : List.of(block.first(), block.last())) {
            var kind = Addresses.kind(end);
            if (kind.isPresent() && !kind.get().internal() && block.prefix() >= 7) {
                throw Fields.at(node, "'" + Flaw.shown(text) + "' is never dialled: " + end.getHostAddress() + " is " + kind.get());
            }
        }
        return block;
    }

    private Handling handling(Map<String, Node> keys, boolean requests) {
        Node tls = keys.get("tls");
        if (tls != null) {
            boolean opaque = fields.oneOf(tls, "tls", List.of("intercept", "opaque")).equals("opaque");
            if (opaque && requests) {
                throw Fields.at(tls, "methods and paths are not seen in opaque TLS");
            }
            return opaque ? Handling.OPAQUE : Handling.INTERCEPT;
        }
        return switch (egressClass) {
            case INTERNAL -> requests ? Handling.INTERCEPT : Handling.TCP;
            case PACKAGES -> Handling.OPAQUE;
            case WEB, GIT, WEBHOOKS -> Handling.INTERCEPT;
        };
    }

    private Rate rate(Node node) {
        String text = fields.text(node, "rate");
        var found = RATE.matcher(text);
        if (!found.matches()) {
            throw Fields.at(node, "rate is '" + Flaw.shown(text) + "', not such as 60/m");
        }
        return new Rate(Long.parseLong(found.group(1)), switch (found.group(2)) {
            case "s" -> Duration.ofSeconds(1);
            case "m" -> Duration.ofMinutes(1);
            default -> Duration.ofHours(1);
        });
    }
}
