// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.HexFormat;

/// Digests all that is read through it, within a bound. Not thread-safe.
final class DigestStream extends FilterInputStream {
    private final MessageDigest digest = LayerDigest.sha256();
    private final long most;
    private final byte[] scrap = new byte[1 << 16];
    private long seen;

    DigestStream(InputStream in, long most) {
        super(in);
        this.most = most;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int at, int length) throws IOException {
        int n = in.read(into, at, length);
        if (n > 0) {
            digest.update(into, at, n);
            seen += n;
            if (seen > most) {
                throw new TarFlaw("it is larger than the " + most + " bytes that there is room for");
            }
        }
        return n;
    }

    @Override
    public long skip(long wanted) throws IOException {
        long done = 0;
        while (done < wanted) {
            int n = read(scrap, 0, (int) Math.min(scrap.length, wanted - done));
            if (n < 0) {
                break;
            }
            done += n;
        }
        return done;
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    /// Reads what is left.
    void rest() throws IOException {
        while (read(scrap, 0, scrap.length) >= 0) {}
    }

    String digest() {
        return "sha256:" + HexFormat.of().formatHex(digest.digest());
    }
}
