// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.gateway.CheckedDialler;
import dev.redoma.model.TenantId;
import dev.redoma.policy.EgressDecider;
import dev.redoma.policy.EgressDecision;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The way out: what a name leads to, decided address by address, and the connection there. The system's resolver blocks the thread that asks it, so look-ups
/// have threads of their own, of which one sandbox, and one tenant, gets a part only. Thread-safe.
final class Way {
    private static final int LOOK_UPS = 128;
    private static final int OF_A_TENANT = LOOK_UPS / 4;
    private static final int OF_A_SANDBOX = 4;
    private static final int PATIENCE_SECONDS = 10;

    private final CheckedDialler dialler;
    private final ExecutorService lookUps = threads();
    /// As many as there are tenants whose sandboxes have had a way out since the start.
    private final Map<TenantId, Semaphore> tenants = new ConcurrentHashMap<>();

    /// How many look-ups a sandbox, and all of its tenant together, may have at once.
    record Shares(Semaphore sandbox, Semaphore tenant) {
        private boolean take(long deadline) throws InterruptedException {
            if (!sandbox.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                return false;
            }
            boolean taken = false;
            try {
                taken = tenant.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            } finally {
                if (!taken) {
                    sandbox.release();
                }
            }
            return taken;
        }

        private void giveBack() {
            sandbox.release();
            tenant.release();
        }
    }

    /// Of a new sandbox.
    Shares shares(TenantId tenant) {
        return new Shares(new Semaphore(OF_A_SANDBOX), tenants.computeIfAbsent(tenant, t -> new Semaphore(OF_A_TENANT)));
    }

    Way(CheckedDialler dialler) {
        this.dialler = dialler;
    }

    private static ExecutorService threads() {
        var factory = Thread.ofPlatform().daemon().name("redoma-names-", 0).factory();
        return new ThreadPoolExecutor(0, LOOK_UPS, 30, TimeUnit.SECONDS, new Handed(), factory, (look, pool) -> {
            if (!((Handed) pool.getQueue()).keep(look)) {
                throw new java.util.concurrent.RejectedExecutionException("too many look-ups wait");
            }
        });
    }

    /// Takes what a thread waits for; else the pool has another thread, and only when it has all that it may, look-ups wait here.
    private static final class Handed extends LinkedTransferQueue<Runnable> {
        private static final long serialVersionUID = 1L;
        private static final int QUEUE = 256;

        @Override
        public boolean offer(Runnable look) {
            return tryTransfer(look);
        }

        boolean keep(Runnable look) {
            return size() < QUEUE && super.offer(look);
        }
    }

    /// What was decided about all the addresses that it has now.
    record Checked(List<InetAddress> addresses, EgressDecision decision) {}

    /// `host`: null where the program named the address itself.
    Checked check(EgressDecider decider, @Nullable String host, InetAddress literal, int port, Shares shares) throws IOException {
        if (host == null) {
            return new Checked(List.of(literal), decider.decideLiteral(literal, port));
        }
        List<InetAddress> addresses = lookUp(host, shares);
        return new Checked(addresses, decider.decideConnect(host, port, addresses));
    }

    private List<InetAddress> lookUp(String host, Shares shares) throws IOException {
        try {
            if (!shares.take(System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS))) {
                throw new IOException("too many look-ups at once");
            }
            var asked = lookUps.submit(() -> {
                try {
                    return dialler.resolve(host);
                } finally {
                    shares.giveBack();
                }
            });
            return asked.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (TimeoutException slow) {
            throw new IOException("the look-up of a name took too long", slow);
        } catch (java.util.concurrent.RejectedExecutionException full) {
            shares.giveBack();
            throw new IOException("too many look-ups at once", full);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownHostException) {
                return List.of();
            }
            throw new IOException("the look-up of a name failed", e.getCause());
        }
    }

    CheckedDialler.Dialled dial(List<InetAddress> checked, int port) throws IOException {
        return dialler.dial(checked, port);
    }
}
