// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

/// Direct buffers for bulk bytes, kept for the next user. Thread-safe; who borrows one gives it back once.
final class Buffers {
    /// For connections that say little, of which there are many.
    static final Buffers SMALL = new Buffers(16 << 10, 256);
    /// For streams at full speed; larger ones would not stay in a core's cache between two system calls.
    static final Buffers LARGE = new Buffers(128 << 10, 32);

    private final int size;
    private final int keep;
    private final ConcurrentLinkedDeque<ByteBuffer> free = new ConcurrentLinkedDeque<>();
    private final AtomicInteger kept = new AtomicInteger();

    private Buffers(int size, int keep) {
        this.size = size;
        this.keep = keep;
    }

    int size() {
        return size;
    }

    ByteBuffer take() {
        var buffer = free.pollFirst();
        if (buffer == null) {
            return ByteBuffer.allocateDirect(size);
        }
        kept.decrementAndGet();
        return buffer.clear();
    }

    void give(ByteBuffer buffer) {
        if (kept.incrementAndGet() > keep) {
            kept.decrementAndGet();
            return;
        }
        free.addFirst(buffer);
    }
}
