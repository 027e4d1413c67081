// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.User;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// People.
@Command(name = "users", description = "People and their roles (admins; operators see them).",
        subcommands = {UsersGroup.Make.class, UsersGroup.All.class, UsersGroup.Role.class, UsersGroup.Disable.class})
final class UsersGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    private abstract static class OfOne extends Verb {
        @Parameters(index = "0", paramLabel = "USER-ID")
        String id = "";

        OfOne(Io io) {
            super(io);
        }

        int told(User user) {
            if (json) {
                print(user);
            } else {
                io.err().println("redoma: " + user.id() + " (" + Text.safe(user.name()) + ") is " + (user.disabledAt() == null ? user.role() : "disabled, with all keys"));
            }
            return Exit.OK;
        }
    }

    @Command(name = "create", description = "Add somebody and print the id; make keys with 'redoma keys create --user ID'.")
    static final class Make extends Verb {
        @Option(names = "--tenant", description = "The tenant they belong to.")
        @Nullable String tenant;

        @Option(names = "--role", required = true, description = "viewer, approver, operator, admin.")
        String role = "";

        @Parameters(index = "0", paramLabel = "NAME")
        String name = "";

        Make(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var made = client.users().create(name, tenant, role);
            if (json) {
                print(made);
            } else {
                io.line(made.id());
            }
            return Exit.OK;
        }
    }

    @Command(name = "list", description = "List people.")
    static final class All extends Verb {
        All(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var all = client.users().list();
            if (json) {
                print(Map.of("items", all));
                return Exit.OK;
            }
            var rows = new ArrayList<List<String>>();
            for (User u : all) {
                rows.add(List.of(u.id(), Text.safe(u.name()), u.tenant(), u.role(), Text.ago(u.createdAt()), u.disabledAt() == null ? "here" : "disabled"));
            }
            io.bytes(Text.table(List.of("ID", "NAME", "TENANT", "ROLE", "ADDED", "STATE"), rows).getBytes(StandardCharsets.UTF_8));
            return Exit.OK;
        }
    }

    @Command(name = "role", description = "Give somebody another role, in force at once; what is open by their keys ends.")
    static final class Role extends OfOne {
        @Parameters(index = "1", paramLabel = "ROLE", description = "viewer, approver, operator, admin.")
        String role = "";

        Role(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            return told(client.users().role(id, role));
        }
    }

    @Command(name = "disable", description = "Revoke all keys of somebody, for good.")
    static final class Disable extends OfOne {
        Disable(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            return told(client.users().disable(id));
        }
    }
}
