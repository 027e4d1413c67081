// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.model.SandboxId;
import dev.redoma.store.Store;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/// The names that a sandbox has asked for and may reach, each with the number of its address. A number is durable before it is told to anybody, and stands
/// for the same name as long as the sandbox lives. Thread-safe.
final class SandboxNames {
    /// More names than this a sandbox is not given: its next one is refused.
    static final int MOST = 8192;

    private final Store store;
    private final SandboxId sandbox;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Integer, String> names = new HashMap<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private int next = Synthetic.FIRST;
    private boolean over;

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

    OptionalInt number(String name) {
        lock.lock();
        try {
            Integer known = numbers.get(name);
            return known == null ? OptionalInt.empty() : OptionalInt.of(known);
        } finally {
            lock.unlock();
        }
    }

    Optional<String> name(int number) {
        lock.lock();
        try {
            return Optional.ofNullable(names.get(number));
        } finally {
            lock.unlock();
        }
    }

    Map<String, Integer> all() {
        lock.lock();
        try {
            return Map.copyOf(numbers);
        } finally {
            lock.unlock();
        }
    }

    /// None is given a number after this: its sandbox may be forgotten by then.
    void end() {
        lock.lock();
        try {
            over = true;
        } finally {
            lock.unlock();
        }
    }

    /// The number of a name, new with what `record` writes in the same commit. Empty: it has as many as it may.
    OptionalInt numberOrNew(String name, Consumer<Handle> record) {
        lock.lock();
        try {
            Integer known = numbers.get(name);
            if (known != null) {
                return OptionalInt.of(known);
            }
            if (over) {
                throw new IllegalStateException("the sandbox is cut off");
            }
            if (names.size() >= MOST) {
                return OptionalInt.empty();
            }
            int number = next;
            store.write(tx -> {
                NameRows.insert(tx, sandbox, number, name);
                record.accept(tx);
                return true;
            });
            know(number, name);
            return OptionalInt.of(number);
        } finally {
            lock.unlock();
        }
    }
}
