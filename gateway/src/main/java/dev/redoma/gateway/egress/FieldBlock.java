// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.hpack.HpackDecoder;
import org.eclipse.jetty.http2.hpack.HpackException;

/// The field blocks of one direction of HTTP/2: read as a strict reader understands them and written anew, without a table that would have to be agreed upon. One thread.
final class FieldBlock {
    private static final int LONGEST = 64 << 10;
    private static final int LIST = 32 << 10;
    private static final int MOST_FRAMES = 16;
    private static final int TABLE = 4096;
    private static final int NO_TABLE = 0x20; // RFC 7541, 6.3: a table of size 0
    private static final int LITERAL = 0x00;

    private static final Set<String> OF_CONNECTIONS = Set.of("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade");

    private final HpackDecoder decoder = new HpackDecoder(LIST, System::nanoTime);
    private boolean begun;

    FieldBlock() {
        decoder.setMaxTableCapacity(TABLE);
    }

    /// What a block says; null where it is none that may be sent on: its stream is to be refused.
    record Read(@org.jspecify.annotations.Nullable MetaData said) {}

    /// `first`: the frame that begins it, whose continuations are read here.
    Read read(Frame first, InputStream in) throws IOException {
        var block = new ByteArrayOutputStream();
        block.writeBytes(first.content());
        boolean whole = first.has(Frame.END_HEADERS);
        for (int frames = 0; !whole; frames++) {
            Frame next = Frame.read(in);
            if (next == null || next.type() != Frame.CONTINUATION || next.stream() != first.stream() || frames >= MOST_FRAMES || block.size() + next.payload().length > LONGEST) {
                throw new Frame.Broken("a block of fields that does not end");
            }
            block.writeBytes(next.payload());
            whole = next.has(Frame.END_HEADERS);
        }
        try {
            MetaData said = decoder.decode(ByteBuffer.wrap(block.toByteArray()));
            return new Read(said.getHttpFields().stream().allMatch(FieldBlock::fit) ? said : null);
        } catch (HpackException.StreamException | org.eclipse.jetty.http.HttpException.RuntimeException unfit) {
            return new Read(null);
        } catch (HpackException.SessionException broken) {
            throw new Frame.Broken("fields that cannot be read");
        }
    }

    /// What frames a message of HTTP/1.1, or would end a line there, is no field of HTTP/2 (RFC 9113, 8.2): whoever translates would be led astray.
    private static boolean fit(HttpField field) {
        String name = field.getName().toLowerCase(Locale.ROOT);
        String value = field.getValue() == null ? "" : field.getValue();
        boolean named = !name.isEmpty() && name.chars().allMatch(c -> c > ' ' && c < 0x7f && c != ':') && !OF_CONNECTIONS.contains(name);
        return named && value.chars().allMatch(c -> c == '\t' || c >= ' ' && c != 0x7f) && (!name.equals("te") || value.equals("trailers"));
    }

    /// Frames of a block. `pseudo`: in their order, before the others.
    List<Frame> write(int stream, boolean last, Map<String, String> pseudo, Iterable<HttpField> fields) {
        var block = new ByteArrayOutputStream();
        if (!begun) {
            block.write(NO_TABLE);
            begun = true;
        }
        pseudo.forEach((name, value) -> field(block, name, value));
        for (HttpField field : fields) {
            field(block, field.getName().toLowerCase(Locale.ROOT), field.getValue() == null ? "" : field.getValue());
        }
        return frames(stream, last, block.toByteArray());
    }

    private static void field(ByteArrayOutputStream to, String name, String value) {
        to.write(LITERAL);
        string(to, name);
        string(to, value);
    }

    private static void string(ByteArrayOutputStream to, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        int rest = bytes.length;
        if (rest < 127) {
            to.write(rest);
        } else {
            to.write(127);
            for (rest -= 127; rest >= 128; rest >>= 7) {
                to.write(rest & 127 | 128);
            }
            to.write(rest);
        }
        to.writeBytes(bytes);
    }

    private static List<Frame> frames(int stream, boolean last, byte[] block) {
        var frames = new ArrayList<Frame>();
        int at = 0;
        do {
            int n = Math.min(Frame.LONGEST, block.length - at);
            int flags = (at == 0 && last ? Frame.END_STREAM : 0) | (at + n == block.length ? Frame.END_HEADERS : 0);
            frames.add(new Frame(at == 0 ? Frame.HEADERS : Frame.CONTINUATION, flags, stream, java.util.Arrays.copyOfRange(block, at, at + n)));
            at += n;
        } while (at < block.length);
        return frames;
    }
}
