// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Makes policies and questions from a small world, in which much overlaps.
final class RandomPolicies {
    static final List<String> HOSTS = List.of("a.example", "b.a.example", "c.b.a.example", "other.example", "x0", "x0.a.example", "db.internal");
    private static final List<String> PATTERNS = List.of("*", "*.example", "*.a.example", "a.example", "b.a.example", "*.b.a.example", "db.internal", "x0", "x0.a.example");
    private static final List<String> BLOCKS = List.of("93.184.0.0/16", "93.184.216.0/24", "93.184.216.34", "2606:2800::/32");
    private static final List<String> PRIVATE = List.of("10.0.0.0/8", "10.1.0.0/16", "192.168.0.0/16", "fd00:1::/32");
    static final List<InetAddress> ADDRESSES = List.of("93.184.216.34", "93.184.216.35", "93.184.1.1", "1.2.3.4", "10.1.2.3", "10.2.0.1", "192.168.1.1", "2606:2800::1", "2a00::1", "fd00:1::1", "127.0.0.1",
            "169.254.169.254", "100.100.100.200").stream().map(InetAddress::ofLiteral).toList();
    static final List<Integer> PORTS = List.of(1, 80, 442, 443, 444, 5432, 8443, 65_535);
    static final List<String> METHODS = List.of("GET", "POST", "DELETE");
    private static final List<String> PORT_TEXTS = List.of("443", "[80, 443]", "any", "[5432, 8443]", "'400-500'");

    private final Random random;

    RandomPolicies(long seed) {
        random = new Random(seed);
    }

    <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private List<String> some(List<String> of) {
        var some = new ArrayList<String>();
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
            some.add("'" + one(of) + "'");
        }
        return some;
    }

    PolicyDocument document(String layer) {
        var text = new StringBuilder("egress:\n  web:\n");
        for (int n = random.nextInt(4) + 1; n > 0; n--) {
            text.append("    - ").append(web()).append('\n');
        }
        if (random.nextInt(3) > 0) {
            text.append("  internal:\n");
            for (int n = random.nextInt(3) + 1; n > 0; n--) {
                text.append("    - ").append(internal()).append('\n');
            }
        }
        return PolicyFile.read(layer, layer, text.toString());
    }

    private String web() {
        if (random.nextInt(4) == 0) {
            return "{deny: " + some(random.nextBoolean() ? PATTERNS : BLOCKS) + (random.nextBoolean() ? ", ports: " + one(PORT_TEXTS) : "") + "}";
        }
        String methods = switch (random.nextInt(4)) {
            case 0 -> ", methods: [GET]";
            case 1 -> ", methods: [GET, POST]";
            case 2 -> ", tls: opaque";
            default -> "";
        };
        return "{hosts: " + some(random.nextInt(4) > 0 ? PATTERNS : BLOCKS) + ", ports: " + one(PORT_TEXTS) + methods + "}";
    }

    private String internal() {
        String ports = ", ports: " + one(PORT_TEXTS);
        return switch (random.nextInt(4)) {
            case 0 -> "{deny: " + some(random.nextBoolean() ? PATTERNS : PRIVATE) + "}";
            case 1 -> "{cidr: " + some(PRIVATE) + ports + "}";
            case 2 -> "{host: '" + one(PATTERNS) + "'" + ports + "}";
            default -> "{host: '" + one(PATTERNS) + "', cidrs: " + some(PRIVATE) + ports + "}";
        };
    }

    EffectivePolicy policy(int layers) {
        var documents = new ArrayList<PolicyDocument>();
        for (String layer : List.of("floor", "tenant", "request").subList(3 - layers, 3)) {
            documents.add(document(layer));
        }
        return new PolicyStack("p", documents).effective(1);
    }
}
