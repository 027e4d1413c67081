// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class BlockingCallsTest {

    @Test
    void aVirtualThreadHandsOverToAPlatformThread() throws Exception {
        var platform = new AtomicBoolean();
        Thread.ofVirtual().start(() -> BlockingCalls.run(() -> platform.set(!Thread.currentThread().isVirtual()))).join();
        assertThat(platform).isTrue();
    }

    @Test
    void aRefusalComesBackAsItIs() {
        assertThatThrownBy(() -> BlockingCalls.callLong(() -> {
                    throw new KernelException(Errno.ENOSPC, "write", "f");
                }))
                .isInstanceOf(KernelException.class)
                .hasMessageContaining("ENOSPC");
    }

    @Test
    void anInterruptDoesNotLoseTheResultAndIsKept() throws Exception {
        var go = new CountDownLatch(1);
        var kept = new AtomicBoolean();
        var done = new AtomicBoolean();
        var waiting = Thread.ofVirtual().start(() -> {
            done.set(BlockingCalls.call(() -> {
                go.await();
                return true;
            }));
            kept.set(Thread.interrupted());
        });
        waiting.interrupt();
        go.countDown();
        waiting.join();
        assertThat(done).isTrue();
        assertThat(kept).isTrue();
    }
}
