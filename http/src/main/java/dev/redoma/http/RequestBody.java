// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.io.IOException;
import java.io.InputStream;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;

/// A request's body as it comes, blocking, never longer than it may be. Not thread-safe.
final class RequestBody extends InputStream {
    private final InputStream in;
    private final long max;
    private long seen;

    RequestBody(Request request, long max) {
        this.in = Content.Source.asInputStream(request);
        this.max = max;
    }

    static RedomaException tooLarge(long max) {
        return Problem.of(Code.PAYLOAD_TOO_LARGE, "The body is larger than " + new Bytes(max) + ".", "Send at most " + max + " bytes.")
                .with("limit", max)
                .raise();
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        int n = receive(to, offset, length);
        seen += Math.max(0, n);
        if (seen > max) {
            throw new IOException("body over its limit", tooLarge(max));
        }
        return n;
    }

    private int receive(byte[] to, int offset, int length) throws IOException {
        try {
            return in.read(to, offset, length);
        } catch (IOException gone) {
            throw new ClientGone(gone);
        }
    }

    @Override
    public int available() throws IOException {
        return in.available();
    }
}
