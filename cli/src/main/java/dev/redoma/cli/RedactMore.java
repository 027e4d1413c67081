// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Masks more of a sandbox that lives.
@Command(name = "redact", description = {"Mask more values of a sandbox in all that comes from now on: output, records, messages.", "What was kept before stays as it is; 'redoma audit scan' tells where it stands."})
final class RedactMore extends Verb {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Id or name.")
    String sandbox = "";

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "NAME[=@FILE]", description = "This variable's value, or a file's content.")
    List<String> names = List.of();

    RedactMore(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var redacted = SandboxName.in(client, sandbox).redact(RedactFlags.values(names));
        if (json) {
            print(redacted);
        } else {
            redacted.names().forEach(name -> io.line(Text.safe(name)));
        }
        return Exit.OK;
    }
}
