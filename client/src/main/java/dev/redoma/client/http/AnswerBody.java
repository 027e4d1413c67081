// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/// The bytes of one answer by its framing; tells when all of it was read, so that the connection can be used again.
final class AnswerBody extends InputStream {
    private enum Framing { LENGTH, CHUNKS, UNTIL_CLOSE }

    private final Connection.InputBuffer in;
    private final Framing framing;
    private long left;
    private boolean firstChunk = true;
    private boolean done;

    private AnswerBody(Connection.InputBuffer in, Framing framing, long left) {
        this.in = in;
        this.framing = framing;
        this.left = left;
        this.done = framing == Framing.LENGTH && left == 0;
    }

    static AnswerBody of(Connection.InputBuffer in, Head head, boolean bodiless) throws IOException {
        if (bodiless || head.status() == 204 || head.status() == 304) {
            return new AnswerBody(in, Framing.LENGTH, 0);
        }
        if (head.says("Transfer-Encoding", "chunked")) {
            return new AnswerBody(in, Framing.CHUNKS, 0);
        }
        long length = head.length();
        return length >= 0 ? new AnswerBody(in, Framing.LENGTH, length) : new AnswerBody(in, Framing.UNTIL_CLOSE, Long.MAX_VALUE);
    }

    /// Everything was read and the connection stands at the beginning of the next answer.
    boolean clean() {
        return done && framing != Framing.UNTIL_CLOSE;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int off, int len) throws IOException {
        if (len == 0) {
            return 0;
        }
        if (framing == Framing.CHUNKS && left == 0 && !done) {
            nextChunk();
        }
        if (done) {
            return -1;
        }
        int n = in.read(to, off, (int) Math.min(len, left));
        if (n < 0) {
            return atEnd();
        }
        left -= n;
        done = framing == Framing.LENGTH && left == 0;
        return n;
    }

    private int atEnd() throws IOException {
        if (framing != Framing.UNTIL_CLOSE) {
            throw new EOFException("the answer ended before its end");
        }
        done = true;
        return -1;
    }

    private void nextChunk() throws IOException {
        var budget = new int[] {8 * 1024};
        if (!firstChunk && !Head.line(in, budget).isEmpty()) {
            throw new IOException("a chunk longer than it said");
        }
        firstChunk = false;
        var size = Head.line(in, budget);
        int extension = size.indexOf(';');
        left = parse(extension < 0 ? size : size.substring(0, extension));
        if (left == 0) {
            while (!Head.line(in, budget).isEmpty()) {
                // Trailers are of no use here.
            }
            done = true;
        }
    }

    private static long parse(String hex) throws IOException {
        try {
            return Long.parseLong(hex.strip(), 16);
        } catch (NumberFormatException e) {
            throw new IOException("a malformed chunk", e);
        }
    }
}
