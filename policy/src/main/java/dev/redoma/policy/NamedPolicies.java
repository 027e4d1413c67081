// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.util.List;

/// The policies that ship by name, and how a request tells a name from a text. `registries`: the hosts of class `packages` on this server (docs/policy.md).
public record NamedPolicies(List<String> registries) {
    public static final List<String> NAMES = List.of("none", "packages", "internet");
    /// The floor of a server that configures none: nothing private.
    public static final String SHIPPED_FLOOR = """
            egress:
              packages: [{hosts: ["*"], ports: any}]
              web: [{hosts: ["*"], ports: any, tls: opaque}]
            """;
    private static final String INTERNET = """
            egress:
              web: [{hosts: ["*"], ports: [80, 443], tls: opaque}]
            """;

    public NamedPolicies {
        registries = List.copyOf(registries);
    }

    /// What `asked` stands for: a name, or a whole text (one that has a line end, a brace or a colon).
    public PolicyDocument read(String layer, String asked) {
        return switch (asked) {
            case "none" -> new PolicyDocument(layer, asked, "", Terms.NONE, List.of());
            case "internet" -> PolicyFile.read(layer, asked, INTERNET);
            case "packages" -> PolicyFile.read(layer, asked, packages());
            default -> {
                if (asked.chars().noneMatch(c -> c == '\n' || c == '{' || c == ':')) {
                    throw Problem.of(Code.POLICY_INVALID, "There is no policy named '" + Flaw.shown(asked) + "'.", "Send " + String.join(", ", NAMES) + ", or the text of a policy file.")
                            .with("field", "policy").with("allowed", NAMES).raise();
                }
                yield PolicyFile.read(layer, "policy", asked);
            }
        };
    }

    /// `custom`: it came as a text.
    public static String nameOf(String asked) {
        return NAMES.contains(asked) ? asked : "custom";
    }

    private String packages() {
        if (registries.isEmpty()) {
            throw Problem.of(Code.NOT_ENFORCEABLE, "policy: this server knows no package registries.", "Name their hosts under 'policy.registries' in redoma.yaml.").at(dev.redoma.model.Layer.POLICY)
                    .with("field", "policy").raise();
        }
        var text = new StringBuilder("egress:\n  packages:\n    - hosts:\n");
        registries.forEach(host -> text.append("        - \"").append(host).append("\"\n"));
        return text.append("      ports: [80, 443]\n").toString();
    }
}
