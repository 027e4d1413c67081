// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.Problem;
import dev.redoma.model.TemplateReference;
import picocli.CommandLine.Parameters;

/// Takes a tag away from a name; what it pointed at stays.
abstract class UntagVerb extends Verb {
    @Parameters(index = "0", paramLabel = "NAME:TAG")
    String what = "";

    UntagVerb(Io io) {
        super(io);
    }

    abstract void untag(RedomaClient client, String name, String tag);

    @Override
    int run(RedomaClient client) {
        var wanted = TemplateReference.parse("NAME:TAG", what);
        if (wanted.name() == null || wanted.tag() == null) {
            throw Problem.field("NAME:TAG", "names no tag", "NAME:TAG");
        }
        untag(client, wanted.name(), wanted.tag());
        return Exit.OK;
    }
}
