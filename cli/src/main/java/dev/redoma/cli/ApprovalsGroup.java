// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Approval;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// What waits for humans.
@Command(name = "approvals", description = "What waits for humans, and their decisions.",
        subcommands = {ApprovalsGroup.All.class, ApprovalsGroup.One.class, ApprovalsGroup.Approve.class, ApprovalsGroup.Deny.class})
final class ApprovalsGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    @Command(name = "list", description = "List what is pending, or approved and not used yet.")
    static final class All extends Verb {
        @Option(names = {"-a", "--all"}, description = "Also what is over.")
        boolean all;

        @Option(names = "--sandbox", paramLabel = "ID", description = "Only of this one.")
        @Nullable String sandbox;

        All(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var list = client.approvals().list(!all, sandbox);
            if (json) {
                print(Map.of("items", list));
                return Exit.OK;
            }
            var rows = new ArrayList<List<String>>();
            list.forEach(a -> rows.add(List.of(a.id(), a.state(), a.kind(), a.sandbox(), Text.or(a.requester() == null ? a.requestedBy() : a.requester()), Text.ago(a.createdAt()), Text.until(a.expiresAt()), ApprovalText.line(a))));
            io.bytes(Text.table(List.of("ID", "STATE", "KIND", "SANDBOX", "ASKED BY", "ASKED", "EXPIRES", "WHAT"), rows).getBytes(StandardCharsets.UTF_8));
            return Exit.OK;
        }
    }

    private abstract static class OfOne extends Verb {
        @Parameters(index = "0", paramLabel = "APPROVAL-ID")
        String id = "";

        OfOne(Io io) {
            super(io);
        }

        int told(Approval approval) {
            if (json) {
                print(approval);
            } else {
                ApprovalText.whole(approval).forEach(io::line);
            }
            return Exit.OK;
        }
    }

    @Command(name = "show", description = "All that would be approved, and who said what.")
    static final class One extends OfOne {
        One(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            return told(client.approvals().get(id));
        }
    }

    @Command(name = "approve", description = "Agree, by a key of a person other than who asked.")
    static final class Approve extends OfOne {
        @Option(names = {"-m", "--reason"}, required = true, description = "Why; it goes on record.")
        String reason = "";

        Approve(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            return told(client.approvals().approve(id, reason));
        }
    }

    @Command(name = "deny", description = "Refuse, for all.")
    static final class Deny extends OfOne {
        @Option(names = {"-m", "--reason"}, required = true, description = "Why; it goes on record, and who asked is told.")
        String reason = "";

        Deny(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            return told(client.approvals().deny(id, reason));
        }
    }
}
