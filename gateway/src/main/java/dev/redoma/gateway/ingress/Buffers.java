// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;

/// A few direct buffers that are used again. Thread-safe.
final class Buffers {
    private static final int SIZE = 128 << 10;
    private static final ArrayBlockingQueue<ByteBuffer> FREE = new ArrayBlockingQueue<>(64);

    private Buffers() {}

    static ByteBuffer take() {
        var free = FREE.poll();
        return free == null ? ByteBuffer.allocateDirect(SIZE) : free;
    }

    static void giveBack(ByteBuffer buffer) {
        if (!FREE.offer(buffer)) {
            // enough are kept; this one goes with the garbage
            buffer.clear();
        }
    }
}
