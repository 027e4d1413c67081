// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.AttachGrant;
import dev.redoma.model.wire.Attached;
import dev.redoma.model.wire.Attachment;
import dev.redoma.model.wire.NewAttachGrant;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Who may join what runs in a sandbox, and who has.
final class AttachGrants {
    private AttachGrants() {}

    private abstract static class OfOne extends Verb {
        @Parameters(index = "0", paramLabel = "SANDBOX")
        String sandbox = "";

        OfOne(Io io) {
            super(io);
        }
    }

    @Command(name = "list", description = "Who is attached to commands of a sandbox now, and who may join.")
    static final class All extends OfOne {
        All(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var attached = SandboxName.in(client, sandbox).attaching().list();
            if (json) {
                print(attached);
                return Exit.OK;
            }
            io.bytes(text(attached).getBytes(StandardCharsets.UTF_8));
            return Exit.OK;
        }
    }

    static String text(Attached attached) {
        var out = new StringBuilder();
        if (!attached.attachments().isEmpty()) {
            out.append(there(attached.attachments()));
        }
        if (!attached.grants().isEmpty()) {
            out.append(out.isEmpty() ? "" : "\n").append(may(attached.grants()));
        }
        return out.isEmpty() ? "nobody is attached, and nobody is granted to be\n" : out.toString();
    }

    static String there(List<Attachment> attachments) {
        var rows = new ArrayList<List<String>>();
        attachments.forEach(a -> rows.add(List.of(a.id(), a.exec(), a.mode(), a.person() == null ? a.key() : a.person() + " (" + a.key() + ")", Text.or(a.grant()), Text.ago(a.since()))));
        return Text.table(List.of("ATTACHED", "EXEC", "MODE", "WHO", "GRANT", "SINCE"), rows);
    }

    private static String may(List<AttachGrant> grants) {
        var rows = new ArrayList<List<String>>();
        grants.forEach(g -> rows.add(List.of(g.id(), g.exec() == null ? "all" : g.exec(), g.mode(), Text.or(g.person() == null ? g.key() : g.person()), g.createdBy(), Text.until(g.expiresAt()))));
        return Text.table(List.of("GRANT", "EXEC", "MODE", "TO", "BY", "EXPIRES"), rows);
    }

    @Command(name = "grant", description = "Let a person or a key of the tenant join what runs in a sandbox, for a time.")
    static final class Grant extends OfOne {
        @Option(names = "--to", paramLabel = "ID", required = true, description = "A person (us…), or a key (ky…).")
        String to = "";

        @Option(names = "--mode", paramLabel = "read|write", description = "To read (default), or to type too.", defaultValue = "read")
        String mode = "read";

        @Option(names = "--exec", paramLabel = "EXEC", description = "Only this command; else all of the sandbox.")
        @Nullable String exec;

        @Option(names = "--for", paramLabel = "TIME", description = "Such as 15m or 8h, at most 7d; 1h where nothing is said.")
        @Nullable String time;

        Grant(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            boolean person = to.startsWith("us");
            var what = new NewAttachGrant(person ? to : null, person ? null : to, exec, mode, time == null ? null : Durations.parse("--for", time).toMillis());
            var made = SandboxName.in(client, sandbox).attaching().grant(what);
            if (json) {
                print(made);
            } else {
                io.line(to + " may join " + (made.exec() == null ? "what runs in it" : made.exec()) + " to " + made.mode() + " until " + made.expiresAt() + " (" + made.id() + ")");
            }
            return Exit.OK;
        }
    }

    @Command(name = "revoke", description = "End a grant; whoever is attached by it is cut off at once.")
    static final class Revoke extends OfOne {
        @Parameters(index = "1", paramLabel = "GRANT")
        String grant = "";

        Revoke(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            SandboxName.in(client, sandbox).attaching().revoke(grant);
            if (json) {
                print(java.util.Map.of("revoked", grant));
            } else {
                io.line("revoked " + grant);
            }
            return Exit.OK;
        }
    }
}
