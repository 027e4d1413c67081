// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import java.io.ByteArrayOutputStream;

/// Keeps the beginning of each stream. Not thread-safe.
final class Capture implements OutputSink {
    private final int most;
    private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();

    Capture(int most) {
        this.most = most;
    }

    @Override
    public void stdout(byte[] bytes, int off, int len) {
        stdout.write(bytes, off, Math.min(len, most - stdout.size()));
    }

    @Override
    public void stderr(byte[] bytes, int off, int len) {
        stderr.write(bytes, off, Math.min(len, most - stderr.size()));
    }

    byte[] stdout() {
        return stdout.toByteArray();
    }

    byte[] stderr() {
        return stderr.toByteArray();
    }
}
