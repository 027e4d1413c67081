// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/// What went into one command, by whom: counted before it goes in, in the order in which it came. Thread-safe.
final class InputTally {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Written> by = new LinkedHashMap<>();
    private boolean settled;

    /// All that one key wrote. `closed`: it ended the input.
    record Total(String key, long bytes, String sha256, boolean closed) {}

    private static final class Written {
        final MessageDigest digest = FileStreams.sha256();
        long bytes;
        boolean closed;
    }

    /// Before a key's first byte: `record` makes it durable, and what it throws keeps the byte out.
    void begin(String key, Runnable record) {
        lock.lock();
        try {
            if (!by.containsKey(key)) {
                record.run();
                by.put(key, new Written());
            }
        } finally {
            lock.unlock();
        }
    }

    /// False if the totals have been taken: then it may not go in any more.
    boolean add(String key, byte[] piece, int length) {
        lock.lock();
        try {
            if (!settled) {
                var written = Objects.requireNonNull(by.get(key), "not begun");
                written.digest.update(piece, 0, length);
                written.bytes += length;
            }
            return !settled;
        } finally {
            lock.unlock();
        }
    }

    /// This key ended the input.
    void closed(String key) {
        lock.lock();
        try {
            var written = by.get(key);
            if (written != null) {
                written.closed = true;
            }
        } finally {
            lock.unlock();
        }
    }

    /// The totals; nothing is taken after them.
    List<Total> settle() {
        lock.lock();
        try {
            settled = true;
            var totals = by.entrySet().stream()
                    .map(e -> new Total(e.getKey(), e.getValue().bytes, HexFormat.of().formatHex(e.getValue().digest.digest()), e.getValue().closed)).toList();
            by.clear();
            return totals;
        } finally {
            lock.unlock();
        }
    }
}
