// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.Amounts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Makes what is sealed about a sandbox unreadable.
@Command(name = "erase", description = {
    "Make what records say of an ended sandbox in sealed fields unreadable for ever, and remove the words and output of its commands.",
    "The chain stays whole, and tells that this was done. Copies, such as exports, are not reached."})
final class AuditErase extends Verb {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Its id; also of one that is not listed any more.")
    String sandbox = "";

    AuditErase(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var erased = client.audit().erase(sandbox);
        if (json) {
            print(erased);
        } else {
            io.line("erased " + erased.sandbox() + " of tenant " + erased.tenant() + ": " + Amounts.count(erased.commands(), "command"));
        }
        return Exit.OK;
    }
}
