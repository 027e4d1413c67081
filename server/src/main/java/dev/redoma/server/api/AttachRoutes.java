// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.delete;
import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;

import dev.redoma.engine.Attachments;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.AttachGrant;
import dev.redoma.model.wire.Attached;
import dev.redoma.model.wire.NewAttachGrant;
import java.io.IOException;
import java.util.List;

/// Who may join what runs in a sandbox, and who has. Joining itself is `attachTerminal`.
final class AttachRoutes {
    private static final String ALL = "/v1/sandboxes/{id}/attach";

    private final Attachments attachments;

    AttachRoutes(Attachments attachments) {
        this.attachments = attachments;
    }

    List<Operation> operations() {
        return List.of(
                get(ALL, "listAttached", "Who is attached to commands of it now, and who may join").needs(Scope.READ).answers(200, Attached.class)
                        .by(c -> c.json(attachments.list(c.caller(), c.sandbox()))),
                post(ALL + "/grants", "grantAttach", "Lets a person or a key of the tenant join, to read or to write, for a time").needs(Scope.EXEC).takes(NewAttachGrant.class).answers(201, AttachGrant.class)
                        .by(this::grant),
                delete(ALL + "/grants/{grant}", "revokeAttach", "Ends a grant; whoever is attached by it is cut off when it answers").needs(Scope.EXEC).answersNothing().by(c -> {
                    attachments.revoke(c.caller(), c.sandbox(), c.parameter("grant"));
                    c.http().nothing();
                }));
    }

    private void grant(Call call) throws IOException {
        call.http().json(201, attachments.grant(call.caller(), call.sandbox(), call.http().json(NewAttachGrant.class)));
    }
}
