// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;

/// The bulk bytes of a guest's operation as streams, for what is rewritten on its way. Not thread-safe.
final class GuestBytes {
    private static final Duration SILENCE = Duration.ofSeconds(60);
    private static final int PIECE = 128 << 10;

    private GuestBytes() {}

    /// DATA* until END; closing it leaves the operation to its owner.
    static InputStream from(GuestOp op, String subject) {
        return new From(op, subject);
    }

    private static final class From extends InputStream {
        private final GuestOp op;
        private final String subject;
        private ByteBuffer rest = ByteBuffer.allocate(0);
        private boolean ended;

        From(GuestOp op, String subject) {
            this.op = op;
            this.subject = subject;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            while (!rest.hasRemaining() && !ended) {
                switch (op.next(SILENCE)) {
                    case DATA -> rest = op.data();
                    case END -> ended = true;
                    case CONTROL -> {
                        GuestErrors.check(op.reply(), subject);
                        throw wrong();
                    }
                    case EOF -> throw GuestErrors.unreachable(subject + ": the guest broke off.").raise();
                    default -> throw wrong();
                }
            }
            if (!rest.hasRemaining()) {
                return -1;
            }
            int n = Math.min(length, rest.remaining());
            rest.get(into, from, n);
            return n;
        }

        private static RuntimeException wrong() {
            return Problem.of(Code.GUEST_PROTOCOL, "The guest sent a frame that files do not send.", "The sandbox may be hostile or broken.").raise();
        }
    }

    /// As DATA*; the caller sends END.
    static To to(GuestOp op, String subject, MessageDigest digest) {
        return new To(op, subject, digest);
    }

    static final class To extends OutputStream {
        private final GuestOp op;
        private final String subject;
        private final MessageDigest digest;
        private final byte[] piece = new byte[PIECE];
        private int filled;
        private long size;

        To(GuestOp op, String subject, MessageDigest digest) {
            this.op = op;
            this.subject = subject;
            this.digest = digest;
        }

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
            for (int done = 0; done < length; ) {
                int n = Math.min(PIECE - filled, length - done);
                System.arraycopy(bytes, from + done, piece, filled, n);
                filled += n;
                done += n;
                if (filled == PIECE) {
                    flush();
                }
            }
        }

        @Override
        public void flush() {
            if (filled > 0) {
                digest.update(piece, 0, filled);
                FileStreams.send(op, GuestOp.Kind.DATA, ByteBuffer.wrap(piece, 0, filled), SILENCE, subject);
                size += filled;
                filled = 0;
            }
        }

        FileStreams.Sent sent() {
            return new FileStreams.Sent(size, HexFormat.of().formatHex(digest.digest()));
        }
    }
}
