// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Key;
import dev.redoma.model.wire.NewKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// API keys.
@Command(name = "keys", description = "Keys of the API (operators).", subcommands = {KeysGroup.Make.class, KeysGroup.All.class, KeysGroup.Rotate.class, KeysGroup.Revoke.class})
final class KeysGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    @Command(name = "create", description = "Make a key and print it: it is shown this once.")
    static final class Make extends Verb {
        @Option(names = "--tenant", description = "The tenant it belongs to.")
        @Nullable String tenant;

        @Option(names = "--scope", split = ",", required = true, description = "read, create, exec, approve, operate; repeatable or separated by commas.")
        List<String> scopes = List.of();

        @Option(names = "--user", paramLabel = "USER-ID", description = "The person it belongs to; without it, it is a program's.")
        @Nullable String user;

        @Parameters(index = "0", paramLabel = "NAME")
        String name = "";

        Make(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            return shown(this, client.keys().create(name, tenant, scopes, user));
        }
    }

    private static int shown(Verb verb, NewKey made) {
        if (verb.json) {
            verb.print(made);
        } else {
            verb.io.err().println("redoma: key " + made.key().id() + " of tenant " + made.key().tenant() + "; keep it, it is not shown again");
            verb.io.line(made.value());
        }
        return Exit.OK;
    }

    @Command(name = "rotate", description = "Make a new value for a key and print it; the old one ends at once, with what is open by it.")
    static final class Rotate extends Verb {
        @Parameters(index = "0", paramLabel = "KEY-ID")
        String id = "";

        Rotate(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            return shown(this, client.keys().rotate(id));
        }
    }

    @Command(name = "list", description = "List keys, without their values.")
    static final class All extends Verb {
        All(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var all = client.keys().list();
            if (json) {
                print(Map.of("items", all));
                return Exit.OK;
            }
            var rows = new ArrayList<List<String>>();
            for (Key k : all) {
                rows.add(List.of(k.id(), Text.safe(k.name()), k.tenant(), String.join(",", k.scopes()), Text.or(k.user()), Text.ago(k.createdAt()),
                        k.revokedAt() == null ? "valid" : "revoked"));
            }
            io.bytes(Text.table(List.of("ID", "NAME", "TENANT", "SCOPES", "USER", "CREATED", "STATE"), rows).getBytes(StandardCharsets.UTF_8));
            return Exit.OK;
        }
    }

    @Command(name = "revoke", description = "Make a key invalid at once.")
    static final class Revoke extends Verb {
        @Parameters(index = "0", paramLabel = "KEY-ID")
        String id = "";

        Revoke(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            client.keys().revoke(id);
            return Exit.OK;
        }
    }
}
