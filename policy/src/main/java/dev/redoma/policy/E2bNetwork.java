// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What E2B's clients say of the network of a sandbox, and the policy that it means. Among addresses what is allowed wins over what is denied, as there; private addresses stay refused, unlike there.
public record E2bNetwork(boolean internetAccess, @Nullable List<String> allowOut, @Nullable List<String> denyOut, @Nullable String egressProxy, @Nullable List<String> ruleDomains) {
    /// Where one of these is denied, everything is.
    public static final Set<String> ALL = Set.of("0.0.0.0/0", "::/0");
    private static final int MOST = 256;

    /// The text of the policy file, or the name `none`.
    public String policy() {
        if (egressProxy != null) {
            throw refused("network.egressProxy");
        }
        if (ruleDomains != null && !ruleDomains.isEmpty()) {
            throw refused("network.rules");
        }
        List<String> allow = list("network.allowOut", allowOut);
        List<String> deny = list("network.denyOut", denyOut);
        List<AddressBlock> denied = deny.stream().map(d -> AddressBlock.parse(d).orElseThrow(() -> Problem.field("network.denyOut", "'" + Flaw.shown(d) + "' is no address and no range", "addresses and ranges such as 203.0.113.0/24"))).toList();
        boolean closed = !internetAccess || deny.stream().anyMatch(ALL::contains);
        var blocks = new ArrayList<AddressBlock>();
        var names = new ArrayList<HostPattern>();
        for (String text : allow) {
            AddressBlock.parse(text).ifPresentOrElse(blocks::add, () -> names.add(name(text)));
        }
        if (!names.isEmpty() && !closed) {
            throw Problem.field("network.allowOut", "names are allowed only where everything else is denied", "denyOut with 0.0.0.0/0 beside them");
        }
        if (closed) {
            return blocks.isEmpty() && names.isEmpty() ? "none" : text(names, blocks, List.of());
        }
        return text(List.of(new HostPattern.Any()), List.of(), denied.stream().filter(d -> blocks.stream().noneMatch(a -> a.covers(d))).toList(), blocks);
    }

    private static HostPattern name(String text) {
        return HostPattern.parse(text).orElseThrow(() -> Problem.field("network.allowOut", "'" + Flaw.shown(text) + "' is neither a host, nor an address, nor a range", "hosts, *.suffix, addresses and ranges"));
    }

    private static List<String> list(String field, @Nullable List<String> given) {
        List<String> list = given == null ? List.of() : given;
        if (list.size() > MOST) {
            throw Problem.field(field, "has more than " + MOST + " entries", "fewer");
        }
        return list;
    }

    private static RuntimeException refused(String field) {
        return Problem.of(Code.NOT_OFFERED, field + " is not offered by this server.", "Leave it out.").with("field", field).raise();
    }

    private static String text(List<HostPattern> names, List<AddressBlock> blocks, List<AddressBlock> denied) {
        return text(names, blocks, denied, List.of());
    }

    /// `except`: allowed ranges within denied ones.
    private static String text(List<HostPattern> names, List<AddressBlock> blocks, List<AddressBlock> denied, List<AddressBlock> except) {
        var allowed = new ArrayList<String>();
        names.forEach(n -> allowed.add(n.toString()));
        blocks.forEach(b -> allowed.add(b.toString()));
        except.stream().filter(a -> denied.stream().anyMatch(d -> d.covers(a))).forEach(a -> allowed.add(a.toString()));
        var text = new StringBuilder("egress:\n  web:\n    - hosts: ").append(quoted(allowed)).append("\n      ports: any\n      tls: opaque\n");
        if (!denied.isEmpty()) {
            text.append("    - deny: ").append(quoted(denied.stream().map(AddressBlock::toString).toList())).append('\n');
        }
        return text.toString();
    }

    private static String quoted(List<String> texts) {
        return texts.stream().map(t -> "\"" + t + "\"").collect(java.util.stream.Collectors.joining(", ", "[", "]"));
    }
}
