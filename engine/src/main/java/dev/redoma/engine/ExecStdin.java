// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.proto.ExecInput;
import dev.redoma.engine.proto.Request;
import dev.redoma.engine.proto.Signal;
import dev.redoma.engine.proto.Stdin;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Tty;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/// What goes to a running command: input, terminal size, signals.
final class ExecStdin {
    private static final int PIECE = 64 << 10;

    private ExecStdin() {}

    /// At the speed at which the process reads. If the stream breaks, what came is delivered and its stdin stays open.
    static void send(ExecRun run, String key, InputStream data, boolean close) throws IOException {
        var request = Request.newBuilder().setStdin(Stdin.newBuilder().setId(run.facts().id().value()).setClose(close)).build();
        try (var op = run.live().guest().open(request, ExecPump.REACH)) {
            var piece = new byte[PIECE];
            for (int n; (n = data.read(piece)) >= 0; ) {
                if (n > 0) {
                    if (!run.input().add(key, piece, n)) {
                        throw Problem.of(Code.WRONG_STATE, "This command takes no more input: it has ended, or the server is stopping.", "Look at its state.").raise();
                    }
                    FileStreams.send(op, GuestOp.Kind.STDIN, ByteBuffer.wrap(piece, 0, n), null, "stdin");
                    run.live().touch();
                }
            }
            if (close) {
                run.input().closed(key); // before it is: the process may end of it at once
            }
            FileStreams.finish(op, null, "stdin");
        }
    }

    static void resize(ExecRun run, Tty size) {
        var connection = run.connection();
        if (connection == null) {
            throw GuestErrors.unreachable("The terminal is not connected.").raise();
        }
        connection.send(ExecInput.newBuilder().setResize(ExecOrder.pty(size)).build());
    }

    static boolean signal(ExecRun run, int number) {
        var signal = Signal.newBuilder().setId(run.facts().id().value()).setSignal(number);
        try (var op = run.live().guest().open(Request.newBuilder().setSignal(signal).build(), ExecPump.REACH)) {
            return op.answer(ExecPump.REACH, "signal").getSignal().getDelivered();
        }
    }
}
