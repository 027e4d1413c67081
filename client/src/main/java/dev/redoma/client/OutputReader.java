// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.client.json.Json;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.Problem;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/// Reads frames of one exec's output, over as many connections as it takes; knows the offset up to which all was handed on. Not thread-safe.
final class OutputReader {
    private static final int LARGEST_JSON = 4 << 20;

    private final OutputSink sink;
    private final byte[] buffer = new byte[128 * 1024];
    private long offset;
    private @Nullable Exec latest;
    private int told;

    OutputReader(OutputSink sink, long offset) {
        this.sink = sink;
        this.offset = offset;
    }

    long offset() {
        return offset;
    }

    @Nullable Exec latest() {
        return latest;
    }

    /// The first frame of every connection tells the exec as it is, which may have ended long ago with output still to come: only what is
    /// told after that says that all was delivered.
    boolean ended() {
        return told > 1 && latest != null && (latest.state().equals("exited") || latest.state().equals("lost"));
    }

    /// Until the stream's clean end; an IOException means that the connection broke (the sink's own are wrapped as unchecked).
    void drain(InputStream in) throws IOException {
        told = 0;
        var data = new DataInputStream(in);
        for (int type = data.read(); type >= 0; type = data.read()) {
            frame(type, data.readInt(), data);
        }
    }

    private void frame(int type, int length, DataInputStream in) throws IOException {
        if (length < 0 || type > 2 && length > LARGEST_JSON) {
            throw new AnswerNotUnderstoodException("A frame of type " + type + " and length " + Integer.toUnsignedString(length), null);
        }
        switch (type) {
            case 1, 2 -> output(type, length, in);
            case 3 -> exec(in.readNBytes(length), length);
            case 5 -> problem(in.readNBytes(length), length);
            default -> in.skipNBytes(length);
        }
    }

    /// What arrived is handed on at once, so that a frame cut in the middle is neither lost nor doubled.
    private void output(int stream, int length, DataInputStream in) throws IOException {
        for (int left = length; left > 0; ) {
            int n = in.read(buffer, 0, Math.min(left, buffer.length));
            if (n < 0) {
                throw new EOFException("the stream ended in the middle of a frame");
            }
            hand(stream, n);
            left -= n;
            offset += n;
        }
    }

    private void hand(int stream, int n) {
        try {
            if (stream == 1) {
                sink.stdout(buffer, 0, n);
            } else {
                sink.stderr(buffer, 0, n);
            }
        } catch (IOException local) {
            throw new UncheckedIOException(local);
        }
    }

    private void exec(byte[] json, int length) throws IOException {
        whole(json, length);
        boolean first = latest == null;
        var exec = Api.decode(() -> Json.read(json, Exec.class));
        latest = exec;
        told++;
        if (first) {
            try {
                sink.started(exec);
            } catch (IOException local) {
                throw new UncheckedIOException(local);
            }
        }
    }

    private static void problem(byte[] json, int length) throws IOException {
        whole(json, length);
        throw new RedomaApiException(Api.decode(() -> Json.read(json, Problem.class)));
    }

    private static void whole(byte[] json, int length) throws EOFException {
        if (json.length < length) {
            throw new EOFException("the stream ended in the middle of a frame");
        }
    }
}
