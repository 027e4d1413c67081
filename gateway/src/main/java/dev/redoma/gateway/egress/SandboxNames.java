// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.model.SandboxId;
import dev.redoma.store.Store;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The names that a sandbox has asked for and may reach, each with the number of its address. A number is durable before it is told to anybody, and stands
/// for the same name as long as the sandbox lives. Thread-safe.
final class SandboxNames {
    private static final Logger LOG = LoggerFactory.getLogger(SandboxNames.class);
    /// More names than this a sandbox is not given: its next one is refused.
    static final int MOST = 8192;

    private final Store store;
    private final SandboxId sandbox;
    /// One name at a time. Taken before any other; held while the database and the kernel are waited for.
    private final ReentrantLock making = new ReentrantLock();
    private volatile boolean over;
    /// Guards everything below; nothing is waited for with it.
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Integer, String> names = new HashMap<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private Map<String, Integer> coming = Map.of();
    /// Those that packet rules could not be made for: they are led when they are asked for again.
    private final Set<String> unled = new HashSet<>();
    private int next = Synthetic.FIRST;

    SandboxNames(Store store, SandboxId sandbox) {
        this.store = store;
        this.sandbox = sandbox;
        store.read(tx -> NameRows.of(tx, sandbox)).forEach(this::know);
    }

    private void know(int number, String name) {
        names.put(number, name);
        numbers.put(name, number);
        next = Math.max(next, number + 1);
    }

    /// Of a name that is durable and led.
    OptionalInt number(String name) {
        Integer known = locked(() -> unled.contains(name) ? null : numbers.get(name));
        return known == null ? OptionalInt.empty() : OptionalInt.of(known);
    }

    Optional<String> name(int number) {
        return Optional.ofNullable(locked(() -> names.get(number)));
    }

    /// With the one that is about to become durable: rules that are made meanwhile lead to it too.
    Map<String, Integer> all() {
        return locked(() -> {
            var all = new HashMap<>(numbers);
            all.putAll(coming);
            return Map.copyOf(all);
        });
    }

    /// None is given a number after this: its sandbox may be forgotten by then.
    void end() {
        making.lock();
        try {
            over = true;
        } finally {
            making.unlock();
        }
    }

    /// Packet rules that lead the address of a number to the gateway. Neither is called with a lock that `all()` takes.
    interface Leading {
        /// By the policy that there is then.
        void lead(String name, int number);

        /// Rules by `all()`, and nothing else.
        void leadOnlyKnown();
    }

    /// The number of a name, new with what `record` writes in the same commit, and led. What leads to it is sent to the kernel while the commit runs: nobody knows the address before this returns, and to the gateway it stands
    /// for nothing before it is durable. Empty: it has as many as it may.
    OptionalInt numberOrNew(String name, Consumer<Handle> record, Leading leading) {
        making.lock();
        try {
            Integer known = known(name);
            if (known != null) {
                ledToo(name, known, leading);
                return OptionalInt.of(known);
            }
            if (over) {
                throw new IllegalStateException("the sandbox is cut off");
            }
            if (size() >= MOST) {
                return OptionalInt.empty();
            }
            int number = begin(name);
            var led = new CompletableFuture<Boolean>();
            Thread.ofVirtual().name("egress-lead").start(() -> led(led, name, number, leading));
            try {
                store.write(tx -> {
                    NameRows.insert(tx, sandbox, number, name);
                    record.accept(tx);
                    return true;
                });
            } catch (RuntimeException | Error unwritten) {
                takeBack(led, leading);
                throw unwritten;
            }
            settle(name, number);
            led.join(); // ends: a message to the kernel does
            return OptionalInt.of(number);
        } catch (CompletionException unled) {
            throw unled.getCause() instanceof RuntimeException cause ? cause : unled;
        } finally {
            making.unlock();
        }
    }

    private void led(CompletableFuture<Boolean> led, String name, int number, Leading leading) {
        try {
            leading.lead(name, number);
            led.complete(true);
        } catch (Throwable failed) {
            locked(() -> unled.add(name)); // before whoever asked hears of it
            led.completeExceptionally(failed);
        }
    }

    /// It is durable, and was not led when it became so.
    private void ledToo(String name, int number, Leading leading) {
        if (locked(() -> unled.contains(name))) {
            leading.lead(name, number);
            locked(() -> unled.remove(name));
        }
    }

    private int begin(String name) {
        return locked(() -> {
            coming = Map.of(name, next);
            return next;
        });
    }

    private void settle(String name, int number) {
        locked(() -> {
            coming = Map.of();
            know(number, name);
            return true;
        });
    }

    /// The number stands for nothing, and will be another name's.
    private void takeBack(CompletableFuture<Boolean> led, Leading leading) {
        led.handle((done, failed) -> true).join();
        locked(() -> {
            coming.keySet().forEach(unled::remove);
            coming = Map.of();
            return true;
        });
        try {
            leading.leadOnlyKnown();
        } catch (RuntimeException failed) {
            LOG.warn("packet rules of {} lead to an address that stands for nothing; connections to it are refused", sandbox, failed);
        }
    }

    private @Nullable Integer known(String name) {
        return locked(() -> numbers.get(name));
    }

    private int size() {
        return locked(names::size);
    }

    private <T extends @Nullable Object> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }
}
