// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.policy.E2bNetwork;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Between wishes and policy files. The file says in its first line what was wished, so that it stays with the policy through forks, changes and restarts; a line that the
/// rest does not bear out is not believed.
final class NetworkText {
    private static final Pattern LINE = Pattern.compile("# wished: internet (true|false), allow \\[([^\\]\n]*)], deny \\[([^\\]\n]*)]\n");

    private static final Set<String> STANDARDS = Set.of("none", "internet");

    private NetworkText() {}

    /// `standard`: the policy of those who wish nothing. Where that lets nothing out, only what is allowed by name goes out; where it is neither that nor the internet, addresses that
    /// are denied or allowed beside everything else are refused: to deny never opens anything.
    static String of(NetworkWishes wishes, String standard) {
        compiled(wishes, wishes.internet()); // what cannot be meant is refused whatever the standard is
        if (wishes.allowOut().isEmpty() && wishes.denyOut().isEmpty()) {
            return wishes.internet() ? standard : "none";
        }
        if (wishes.internet() && !STANDARDS.contains(standard) && wishes.denyOut().stream().noneMatch(E2bNetwork.ALL::contains)) {
            throw Problem.of(Code.NOT_OFFERED, "network.denyOut: what this server gives to those who name no policy is a policy of its own, from which no addresses can be taken.",
                    "Deny 0.0.0.0/0 as well and name in allowOut what may be reached, or leave both out.").with("field", "network.denyOut").raise();
        }
        return written(wishes, wishes.internet() && !standard.equals("none"));
    }

    private static String written(NetworkWishes wishes, boolean open) {
        String text = compiled(wishes, open);
        return text.equals("none") ? text : "# wished: internet " + wishes.internet() + ", allow [" + String.join(",", wishes.allowOut()) + "], deny [" + String.join(",", wishes.denyOut()) + "]\n" + text;
    }

    private static String compiled(NetworkWishes wishes, boolean open) {
        return new E2bNetwork(open, wishes.allowOut(), wishes.denyOut(), null, null).policy();
    }

    /// What a file was written for; empty where it was not written here.
    static Optional<NetworkWishes> wishes(String text) {
        var line = LINE.matcher(text);
        if (!line.lookingAt()) {
            return Optional.empty();
        }
        var wishes = new NetworkWishes(Boolean.parseBoolean(line.group(1)), list(line.group(2)), list(line.group(3)));
        try {
            return text.equals(written(wishes, wishes.internet())) || text.equals(written(wishes, false)) ? Optional.of(wishes) : Optional.empty();
        } catch (dev.redoma.model.RedomaException forged) {
            return Optional.empty();
        }
    }

    private static List<String> list(String joined) {
        return joined.isEmpty() ? List.of() : List.of(joined.split(",", -1));
    }
}
