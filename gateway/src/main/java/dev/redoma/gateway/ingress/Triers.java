// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/// The tries of each address: whoever tries tokens and keys does not shut out the others. Those that were not seen for longest share what is forgotten. Thread-safe.
final class Triers {
    private static final int REMEMBERED = 4096;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Tries> byAddress = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Tries> eldest) {
            return size() > REMEMBERED;
        }
    };

    Tries of(String address) {
        lock.lock();
        try {
            return byAddress.computeIfAbsent(network(address), a -> new Tries());
        } finally {
            lock.unlock();
        }
    }

    /// Who has one address of IPv6 has the 2^64 beside it.
    private static String network(String address) {
        try {
            var raw = java.net.InetAddress.ofLiteral(address.replaceAll("[\\[\\]]", "")).getAddress();
            return raw.length == 4 ? address : java.util.HexFormat.of().formatHex(raw, 0, 8);
        } catch (IllegalArgumentException odd) {
            return address;
        }
    }
}
