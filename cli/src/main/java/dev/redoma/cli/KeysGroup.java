// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Key;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// API keys.
@Command(name = "keys", description = "Keys of the API (operators).", subcommands = {KeysGroup.Make.class, KeysGroup.All.class, KeysGroup.Revoke.class})
final class KeysGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    @Command(name = "create", description = "Make a key and print it: it is shown this once.")
    static final class Make extends Verb {
        @Option(names = "--tenant", description = "The tenant it belongs to.")
        @Nullable String tenant;

        @Option(names = "--scope", split = ",", required = true, description = "read, create, exec, approve, operate; repeatable or separated by commas.")
        List<String> scopes = List.of();

        @Parameters(index = "0", paramLabel = "NAME")
        String name = "";

        Make(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var made = client.keys().create(name, tenant, scopes);
            if (json) {
                print(made);
            } else {
                io.err().println("redoma: key " + made.key().id() + " of tenant " + made.key().tenant() + "; keep it, it is not shown again");
                io.line(made.value());
            }
            return Exit.OK;
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
                rows.add(List.of(k.id(), Text.safe(k.name()), k.tenant(), String.join(",", k.scopes()), Text.ago(k.createdAt()),
                        k.revokedAt() == null ? "valid" : "revoked"));
            }
            io.bytes(Text.table(List.of("ID", "NAME", "TENANT", "SCOPES", "CREATED", "STATE"), rows).getBytes(StandardCharsets.UTF_8));
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
