// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.model.RedomaException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/// A request's body that ends with an IOException once its guard objects, so that nothing is taken for complete.
final class GuardedInput extends FilterInputStream {
    private final Guard guard;

    GuardedInput(InputStream in, Guard guard) {
        super(in);
        this.guard = guard;
    }

    @Override
    public int read() throws IOException {
        int b = super.read();
        check();
        return b;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        int n = super.read(to, offset, length);
        check();
        return n;
    }

    private void check() throws IOException {
        try {
            guard.check();
        } catch (RedomaException ended) {
            throw new IOException("no longer allowed", ended);
        }
    }
}
