// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.model.wire.Approval;
import java.util.ArrayList;
import java.util.List;

/// Requests for approval as people read them. What is shown of them has its invisible characters written out by the server.
final class ApprovalText {
    private static final int LINE = 72;

    private ApprovalText() {}

    static String line(Approval a) {
        String text = what(a);
        return text.length() > LINE ? text.substring(0, LINE - 1) + "…" : text;
    }

    private static String what(Approval a) {
        if (a.kind().equals("exec") && a.shown().get("argv") instanceof List<?> argv) {
            return String.join(" ", argv.stream().map(ApprovalText::word).toList());
        }
        if (a.kind().equals("apply")) {
            int flagged = a.shown().get("flagged") instanceof List<?> all ? all.size() : 0;
            return Text.safe(a.shown().get("count") + " changes" + (flagged == 0 ? "" : " (" + flagged + " flagged)") + " to " + a.shown().get("target"));
        }
        return Text.safe(a.shown().toString());
    }

    static List<String> whole(Approval a) {
        var lines = new ArrayList<String>();
        lines.add(a.id() + ": " + a.kind() + " in " + a.sandbox() + ", " + a.state());
        lines.add("asked by " + a.requestedBy() + (a.requester() == null ? " (a program's key)" : " of " + a.requester()) + ", " + Text.ago(a.createdAt()) + "; rules " + String.join(", ", a.rules()) + "; " + a.needed() + " to agree");
        if (a.state().equals("pending") || a.state().equals("approved")) {
            lines.add((a.state().equals("pending") ? "denied " : "can be used for ") + Text.until(a.expiresAt()) + (a.state().equals("pending") ? " unless somebody decides" : ""));
        }
        a.shown().forEach((name, value) -> {
            if (value instanceof List<?> all) {
                lines.add("  " + Text.safe(name) + ":");
                all.forEach(v -> lines.add("    " + word(v)));
            } else {
                lines.add("  " + Text.safe(name) + ": " + Text.safe(String.valueOf(value)));
            }
        });
        a.decisions().forEach(d -> lines.add(d.verdict() + " by " + d.person() + " (" + d.key() + "), " + Text.ago(d.at()) + ": " + Text.safe(d.reason())));
        return lines;
    }

    /// So that one word is told from two.
    private static String word(Object word) {
        String text = Text.safe(String.valueOf(word));
        return text.matches("[A-Za-z0-9_./:=@%+,-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
