// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http.connect;

import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/// The messages of a streaming request, one after the other, each of a bounded size also after it was decompressed. Not thread-safe.
public final class Messages {
    private static final int COMPRESSED = 1;

    private final DataInputStream in;
    private final boolean gzip;
    private final int most;

    Messages(InputStream in, boolean gzip, int most) {
        this.in = new DataInputStream(in);
        this.gzip = gzip;
        this.most = most;
    }

    /// Null at the end.
    public @Nullable Message next() throws IOException {
        int flags = in.read();
        if (flags < 0 || flags == Frames.END) {
            return null;
        }
        if (flags > COMPRESSED) {
            throw malformed("an envelope has the flags " + flags);
        }
        try {
            int length = in.readInt();
            if (length < 0 || length > most) {
                throw tooLarge(most);
            }
            var payload = in.readNBytes(length);
            if (payload.length < length) {
                throw malformed("the last envelope is cut off");
            }
            return Message.parse(flags == COMPRESSED ? inflate(payload) : payload);
        } catch (EOFException cut) {
            throw malformed("the last envelope is cut off");
        }
    }

    /// The one there must be.
    Message only() throws IOException {
        var first = next();
        if (first == null) {
            throw malformed("the request has no message");
        }
        return first;
    }

    private byte[] inflate(byte[] payload) throws IOException {
        if (!gzip) {
            throw malformed("an envelope is compressed, and Connect-Content-Encoding does not say how");
        }
        return bounded(new GZIPInputStream(new ByteArrayInputStream(payload)), most);
    }

    static byte[] bounded(InputStream in, int most) throws IOException {
        var bytes = in.readNBytes(most + 1);
        if (bytes.length > most) {
            throw tooLarge(most);
        }
        return bytes;
    }

    static RedomaException malformed(String what) {
        return Problem.of(Code.BAD_REQUEST, "The call cannot be read: " + what + ".", "Send it as the Connect protocol says.").raise();
    }

    private static RedomaException tooLarge(int most) {
        return Problem.of(Code.PAYLOAD_TOO_LARGE, "A message is larger than " + new Bytes(most) + ".", "Send less in one message.").with("limit", most).raise();
    }
}
