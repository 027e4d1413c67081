// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.proto.Reply;
import dev.redoma.model.Code;
import dev.redoma.model.Layer;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// Bulk bytes of files and archives, in constant memory.
final class FileStreams {
    private static final int PIECE = 128 << 10;
    private static final Duration SILENCE = Duration.ofSeconds(60);

    private FileStreams() {}

    /// DATA* and END from the guest.
    static void down(GuestOp op, WritableByteChannel to, String subject) throws IOException {
        while (true) {
            switch (op.next(SILENCE)) {
                case DATA -> {
                    for (var piece = op.data(); piece.hasRemaining(); ) {
                        to.write(piece);
                    }
                }
                case END -> {
                    return;
                }
                case CONTROL -> {
                    GuestErrors.check(op.reply(), subject);
                    throw wrong("an answer among data");
                }
                case EOF -> throw GuestErrors.unreachable(subject + ": the guest broke off.").raise();
                default -> throw wrong("a frame that files do not send");
            }
        }
    }

    /// The stream to the guest as DATA*. What the guest said when it would take no more is what is thrown. The caller sends END: without
    /// it, as when the stream breaks, the guest drops a file.
    static Sent up(GuestOp op, InputStream data, String subject) throws IOException {
        var digest = sha256();
        var piece = new byte[PIECE];
        long size = 0;
        for (int n; (n = data.read(piece)) >= 0; size += n) {
            digest.update(piece, 0, n);
            send(op, GuestOp.Kind.DATA, ByteBuffer.wrap(piece, 0, n), SILENCE, subject);
        }
        return new Sent(size, HexFormat.of().formatHex(digest.digest()));
    }

    /// Sends a piece; where the guest has hung up, what it said before is thrown.
    static void send(GuestOp op, GuestOp.Kind kind, ByteBuffer piece, @Nullable Duration silence, String subject) {
        try {
            op.send(kind, piece, silence);
        } catch (RedomaException broken) {
            op.answer(Duration.ofSeconds(1), subject);
            throw Problem.of(Code.WRONG_STATE, subject + ": it was over before all was taken.", "The process has ended or closed its end.").at(Layer.COMMAND)
                    .raise(broken);
        }
    }

    /// END, and the answer to all that was sent; one that the guest gave before END and hung up after is taken too.
    static Reply finish(GuestOp op, @Nullable Duration silence, String subject) {
        try {
            op.end();
        } catch (RedomaException broken) {
            return op.answer(Duration.ofSeconds(1), subject);
        }
        return op.answer(silence, subject);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static RedomaException wrong(String what) {
        return Problem.of(Code.GUEST_PROTOCOL, "The guest sent " + what + ".", "The sandbox may be hostile or broken.").raise();
    }

    /// What was sent: bytes and their SHA-256 in hex.
    record Sent(long size, String sha256) {}
}
