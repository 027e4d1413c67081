// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import com.google.protobuf.MessageLite;
import dev.redoma.engine.proto.Reply;
import java.nio.ByteBuffer;
import java.time.Duration;

/// One operation's connection to a guest: one reader at a time, any number of writers; `close` from any thread ends both.
///
/// What it throws: GUEST_UNREACHABLE when the connection broke or a wait ended, GUEST_PROTOCOL for frames that the protocol does
/// not know here. Either way the operation is over: close it.
interface GuestOp extends AutoCloseable {

    /// Kinds of frames by their number on the wire, and the end of the connection.
    enum Kind {
        CONTROL, STDIN, STDOUT, STDERR, DATA, END, EOF
    }

    /// What comes next. Waits at most that long between two readings from the socket (null: for ever). Of a bulk frame it may be
    /// only a piece.
    Kind next(@org.jspecify.annotations.Nullable Duration silence);

    /// The message of the CONTROL frame that `next` returned.
    Reply reply();

    /// The bytes of the bulk frame that `next` returned: a direct buffer that belongs to the caller until it calls `next` again.
    ByteBuffer data();

    /// True if another whole frame is already here, so that `next` will not wait.
    boolean ready();

    /// Waits for a CONTROL frame (null: for ever); an `error` in it is thrown as its problem, about `subject`.
    Reply answer(@org.jspecify.annotations.Nullable Duration silence, String subject);

    /// Sends a CONTROL frame; gives up after 10 s of a full socket.
    void send(MessageLite message);

    /// Sends bytes as frames of that kind, waiting for the guest to take them at most that long per frame (null: for ever). When it
    /// fails, an answer that the guest gave before it hung up can still be read.
    void send(Kind kind, ByteBuffer bytes, @org.jspecify.annotations.Nullable Duration silence);

    /// Sends END.
    void end();

    /// The operation is over, as both sides know: if nothing more came or went wrong, its connection serves another one. To be
    /// followed by `close`; nothing can be sent any more.
    void reuse();

    @Override
    void close();
}
