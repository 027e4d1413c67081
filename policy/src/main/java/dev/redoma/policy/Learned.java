// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// What is proposed, as the text of a policy: exact hosts and ports, and of those whose requests were refused their methods and paths.
final class Learned {
    private static final Comparator<Of> ORDER = Comparator.comparing(Of::internal).thenComparing(Of::asked).thenComparing(o -> o.into().toString());

    /// A host or an address. `into`: the ranges that a host of class `internal` resolves into.
    record Of(boolean internal, String asked, boolean literal, List<AddressBlock> into) {}

    /// `paths`: by port and path, the methods; `open`: the ports of which no request is known.
    private static final class Asked {
        private final TreeSet<Integer> open = new TreeSet<>();
        private final TreeMap<Integer, TreeMap<String, TreeSet<String>>> paths = new TreeMap<>();
    }

    private final TreeMap<Of, Asked> all = new TreeMap<>(ORDER);
    private int paths;

    /// Port 0: only its name is known.
    void add(Of of, int port) {
        Asked asked = all.computeIfAbsent(of, o -> new Asked());
        if (port > 0) {
            asked.open.add(port);
        }
    }

    /// False: there are more paths than anybody would read.
    boolean add(Of of, int port, String method, String path, int most) {
        Asked asked = all.computeIfAbsent(of, o -> new Asked());
        var methods = asked.paths.computeIfAbsent(port, p -> new TreeMap<>());
        if (!methods.containsKey(path) && paths >= most) {
            return false;
        }
        paths += methods.containsKey(path) ? 0 : 1;
        methods.computeIfAbsent(path, p -> new TreeSet<>()).add(method);
        return true;
    }

    /// Those of which only the name is known.
    List<String> portless() {
        return all.entrySet().stream().filter(e -> e.getValue().open.isEmpty() && e.getValue().paths.isEmpty()).map(e -> e.getKey().asked()).toList();
    }

    String text() {
        String web = web();
        String internal = internal();
        return web.isEmpty() && internal.isEmpty() ? "" : "egress:\n" + (web.isEmpty() ? "" : "  web:\n" + web) + (internal.isEmpty() ? "" : "  internal:\n" + internal);
    }

    private String web() {
        var byPorts = new TreeMap<String, TreeSet<String>>();
        var requests = new StringBuilder();
        all.forEach((of, asked) -> {
            if (of.internal()) {
                return;
            }
            var ports = open(asked);
            if (!ports.isEmpty()) {
                byPorts.computeIfAbsent(ports.toString(), p -> new TreeSet<>()).add(of.asked());
            }
            requests.append(requests("    - hosts: " + quoted(List.of(of.asked())) + "\n", asked));
        });
        var text = new StringBuilder();
        byPorts.forEach((ports, hosts) -> text.append("    - hosts: ").append(quoted(hosts)).append("\n      ports: ").append(ports).append("\n      tls: opaque\n"));
        return text.append(requests).toString();
    }

    /// Of ports whose requests are known those are proposed and nothing wider.
    private static TreeSet<Integer> open(Asked asked) {
        var ports = new TreeSet<>(asked.open);
        ports.removeAll(asked.paths.keySet());
        if (asked.open.isEmpty() && asked.paths.isEmpty()) {
            ports.add(443);
        }
        return ports;
    }

    private String internal() {
        var text = new StringBuilder();
        all.forEach((of, asked) -> {
            if (of.internal()) {
                String head = of.literal() ? "    - cidr: \"" + of.asked() + (of.asked().contains(":") ? "/128" : "/32") + "\"\n"
                        : "    - host: \"" + of.asked() + "\"\n      cidrs: " + quoted(of.into().stream().map(AddressBlock::toString).toList()) + "\n";
                var ports = open(asked);
                if (!ports.isEmpty()) {
                    text.append(head).append("      ports: ").append(ports).append('\n');
                }
                text.append(requests(head, asked));
            }
        });
        return text.toString();
    }

    /// Paths that were asked for by the same methods in one rule.
    private static String requests(String head, Asked asked) {
        var text = new StringBuilder();
        asked.paths.forEach((port, methods) -> {
            var byMethods = new TreeMap<String, List<String>>();
            for (Map.Entry<String, TreeSet<String>> e : methods.entrySet()) {
                byMethods.computeIfAbsent(e.getValue().toString(), m -> new ArrayList<>()).add(e.getKey());
            }
            byMethods.forEach((some, paths) -> text.append(head).append("      ports: [").append(port).append("]\n      methods: ").append(some).append("\n      paths: ").append(quoted(paths)).append('\n'));
        });
        return text.toString();
    }

    private static String quoted(Iterable<String> some) {
        return java.util.stream.StreamSupport.stream(some.spliterator(), false).map(h -> "\"" + h + "\"").collect(Collectors.joining(", ", "[", "]"));
    }
}
