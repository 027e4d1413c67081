// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.HexFormat;

/// Stored bytes of a layer: neither more nor fewer than was said, and of the digest that was said, or the last read fails. Not
/// thread-safe.
final class CheckedStream extends InputStream {
    private final InputStream in;
    private final Descriptor wanted;
    private final MessageDigest digest = Digest.sha256();
    private long seen;
    private boolean checked;

    CheckedStream(InputStream in, Descriptor wanted) {
        this.in = in;
        this.wanted = wanted;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int at, int length) throws IOException {
        int n = in.read(into, at, length);
        if (n < 0) {
            end();
            return -1;
        }
        seen += n;
        if (seen > wanted.size()) {
            throw Refusal.image("the layer " + wanted.digest() + " is larger than the " + wanted.size() + " bytes that are said of it");
        }
        digest.update(into, at, n);
        return n;
    }

    private void end() {
        if (checked) {
            return;
        }
        checked = true;
        if (seen < wanted.size()) {
            throw Refusal.image("the layer " + wanted.digest() + " ends after " + seen + " of " + wanted.size() + " bytes");
        }
        var found = "sha256:" + HexFormat.of().formatHex(digest.digest());
        if (!found.equals(wanted.digest().value())) {
            throw Refusal.image("what is given as the layer " + wanted.digest() + " has the digest " + found);
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
