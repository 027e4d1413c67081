// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/// A sandbox's share of the large direct buffers, of which this process has a fixed number at most: whoever takes none because others have them goes on with
/// its small one. Thread-safe; who took one gives it back once.
final class Spacious {
    private static final int SIZE = 128 << 10;
    private static final int ALL = 64;
    private static final int ONE_SANDBOX = 8;
    private static final Semaphore LEFT = new Semaphore(ALL);
    private static final ConcurrentLinkedDeque<ByteBuffer> FREE = new ConcurrentLinkedDeque<>();

    private final Semaphore share = new Semaphore(ONE_SANDBOX);

    /// Null: none is to be had now.
    @Nullable ByteBuffer take() {
        if (!share.tryAcquire()) {
            return null;
        }
        if (!LEFT.tryAcquire()) {
            share.release();
            return null;
        }
        ByteBuffer free = FREE.pollFirst();
        return free == null ? ByteBuffer.allocateDirect(SIZE) : free;
    }

    void give(ByteBuffer buffer) {
        FREE.addFirst(buffer);
        LEFT.release();
        share.release();
    }
}
