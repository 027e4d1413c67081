// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpField;

/// The one answer that a program gets, whatever its first request is, where nothing is reached for it.
final class Answered {
    /// More frames than this before a request nobody needs.
    private static final int FRAMES = 64;
    private static final int CONTINUATIONS = 16;
    private static final int INITIAL_WINDOW = 4;
    private static final int PREFACE = 24;

    private Answered() {}

    static void http1(Socket inside, Socket plain, Refused refused) throws IOException {
        try {
            new RequestReader(inside.getInputStream()).head();
        } catch (RequestReader.Malformed malformed) {
            // it is refused anyway
        }
        inside.getOutputStream().write(refused.http1());
        Ends.drain(inside, plain);
    }

    static void http2(Socket inside, Socket plain, Refused refused) throws IOException {
        InputStream in = inside.getInputStream();
        OutputStream out = inside.getOutputStream();
        in.readNBytes(PREFACE);
        new Frame(Frame.SETTINGS, 0, 0, new byte[0]).write(out);
        long window = 65_535;
        for (int i = 0; i < FRAMES; i++) {
            Frame frame = Frame.read(in);
            if (frame == null) {
                return;
            }
            if (frame.type() == Frame.SETTINGS && !frame.has(Frame.ACK)) {
                window = window(frame, window);
                new Frame(Frame.SETTINGS, Frame.ACK, 0, new byte[0]).write(out);
            } else if (frame.type() == Frame.HEADERS) {
                rest(frame, in);
                for (Frame one : answer(frame.stream(), window >= refused.body().length, refused)) {
                    one.write(out);
                }
                Ends.drain(inside, plain);
                return;
            }
        }
    }

    private static long window(Frame settings, long before) {
        long window = before;
        for (var s = ByteBuffer.wrap(settings.payload()); s.remaining() >= 6; ) {
            int id = s.getShort() & 0xffff;
            long value = s.getInt() & 0xffffffffL;
            window = id == INITIAL_WINDOW ? value : window;
        }
        return window;
    }

    private static void rest(Frame first, InputStream in) throws IOException {
        boolean whole = first.has(Frame.END_HEADERS);
        for (int i = 0; !whole && i < CONTINUATIONS; i++) {
            Frame next = Frame.read(in);
            whole = next == null || next.has(Frame.END_HEADERS);
        }
    }

    private static List<Frame> answer(int stream, boolean body, Refused refused) {
        List<HttpField> fields = refused.fields(body);
        var frames = new ArrayList<>(new FieldBlock().write(stream, !body, Map.of(":status", String.valueOf(refused.status())), fields));
        if (body) {
            frames.add(new Frame(Frame.DATA, Frame.END_STREAM, stream, refused.body()));
        }
        frames.add(new Frame(Frame.GOAWAY, 0, 0, ByteBuffer.allocate(8).putInt(stream).putInt(0).array()));
        return frames;
    }
}
