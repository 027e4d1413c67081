// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Certificates of this server.
@Command(name = "tls", description = "Certificates for the server and its sandboxes.", subcommands = {TlsGroup.Init.class})
final class TlsGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    @Command(name = "init", description = "Make a local authority and a certificate for a domain and all names right below it, and say how to trust it.")
    static final class Init extends HostVerb {
        @Option(names = "--domain", required = true, paramLabel = "DOMAIN", description = "Such as sandboxes.example.com.")
        String domain = "";

        Init(Io io) {
            super(io);
        }

        @Override
        int act() throws Exception {
            var arguments = new ArrayList<>(List.of(flags.data.toAbsolutePath().toString(), domain));
            if (json) {
                arguments.add("json");
            }
            io.bytes(ServerProcess.answer("dev.redoma.server.TlsInit", arguments));
            return Exit.OK;
        }
    }
}
