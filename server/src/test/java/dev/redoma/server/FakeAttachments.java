// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Attachments;
import dev.redoma.engine.Execs;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.AttachGrant;
import dev.redoma.model.wire.Attached;
import dev.redoma.model.wire.NewAttachGrant;
import dev.redoma.model.wire.Tty;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.function.Consumer;

/// Whoever runs commands joins them; nothing is granted.
record FakeAttachments(FakeRedoma redoma) implements Attachments {

    @Override
    public AttachGrant grant(Caller caller, String sandbox, NewAttachGrant what) {
        redoma.get(caller, sandbox);
        throw Problem.field("person", "is nobody of this tenant", "somebody else");
    }

    @Override
    public Attached list(Caller caller, String sandbox) {
        redoma.get(caller, sandbox);
        return new Attached(List.of(), List.of());
    }

    @Override
    public void revoke(Caller caller, String sandbox, String grant) {
        redoma.get(caller, sandbox);
        throw Problem.of(Code.ATTACH_GRANT_NOT_FOUND, "There is none.", "Grant one.").raise();
    }

    @Override
    public void check(Caller caller, String sandbox, String exec, String mode) {
        caller.need(Scope.EXEC);
    }

    @Override
    public Joined join(Caller caller, String sandbox, String exec, String mode, Consumer<Problem> cutOff) {
        return new Joined() {
            @Override
            public boolean writes() {
                return mode.equals("write");
            }

            @Override
            public boolean own() {
                return true;
            }

            @Override
            public Execs.Output output(long offset) {
                return redoma.execs.output(caller, sandbox, exec, offset, true, false);
            }

            @Override
            public void type(InputStream from) throws IOException {
                var piece = new byte[1024];
                for (int n = from.read(piece); n >= 0; n = from.read(piece)) {
                    redoma.execs.stdin(caller, sandbox, exec, new ByteArrayInputStream(piece, 0, n), false);
                }
            }

            @Override
            public void resize(Tty size) {
                redoma.execs.resize(caller, sandbox, exec, size);
            }

            @Override
            public Problem readsOnly() {
                return Problem.of(Code.POLICY_REFUSED, "Only to read.", "Join to write.");
            }

            @Override
            public void because(String why) {}

            @Override
            public void close() {}
        };
    }
}
