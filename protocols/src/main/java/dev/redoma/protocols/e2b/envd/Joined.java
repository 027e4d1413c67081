// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.engine.Files;
import dev.redoma.model.RedomaException;
import dev.redoma.protocols.e2b.envd.Box.Asked;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.util.List;

/// Files of a sandbox, one after the other, a piece at a time. What cannot be read is an IOException whose cause says why. Not thread-safe.
final class Joined extends InputStream {
    private static final int PIECE = 1 << 20;

    private final Files files;
    private final Asked asked;
    private final List<String> paths;
    private ByteArrayInputStream piece = new ByteArrayInputStream(new byte[0]);
    private int next;
    private long offset;

    Joined(Files files, Asked asked, List<String> paths) {
        this.files = files;
        this.asked = asked;
        this.paths = paths;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int at, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (piece.available() == 0) {
            if (next == paths.size()) {
                return -1;
            }
            fill();
        }
        return piece.read(into, at, length);
    }

    private void fill() throws IOException {
        var bytes = new ByteArrayOutputStream(PIECE);
        try {
            files.read(asked.caller(), asked.id(), paths.get(next), asked.user(), offset, PIECE, info -> Channels.newChannel(bytes));
        } catch (RedomaException refused) {
            throw new IOException(refused.getMessage(), refused);
        }
        piece = new ByteArrayInputStream(bytes.toByteArray());
        offset += bytes.size();
        if (bytes.size() < PIECE) {
            next++;
            offset = 0;
        }
    }
}
