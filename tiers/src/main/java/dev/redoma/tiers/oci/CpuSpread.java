// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;

/// Deals out the host's CPUs: as many as the limit's whole cores to each instance (so that `nproc` tells the limit), always those that
/// the fewest instances have. Thread-safe.
final class CpuSpread {
    static final long PERIOD_MICROS = 100_000;
    private static final long QUOTA_MINIMUM = 1_000;

    private final List<Integer> host;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, List<Integer>> dealt = new HashMap<>();

    CpuSpread(List<Integer> host) {
        this.host = List.copyOf(host);
    }

    /// Deals anew what this instance had.
    List<Integer> deal(String instance, double cpu) {
        int count = (int) Math.clamp((long) Math.ceil(cpu), 1, host.size());
        lock.lock();
        try {
            var before = dealt.remove(instance);
            if (before != null && before.size() == count) {
                dealt.put(instance, before);
                return before;
            }
            var load = load();
            var chosen = host.stream()
                    .sorted(Comparator.<Integer>comparingInt(c -> load.getOrDefault(c, 0)))
                    .limit(count)
                    .sorted()
                    .toList();
            dealt.put(instance, chosen);
            return chosen;
        } finally {
            lock.unlock();
        }
    }

    private Map<Integer, Integer> load() {
        var load = new HashMap<Integer, Integer>();
        dealt.values().forEach(cpus -> cpus.forEach(c -> load.merge(c, 1, Integer::sum)));
        return load;
    }

    void remember(String instance, List<Integer> cpus) {
        lock.lock();
        try {
            dealt.put(instance, List.copyOf(cpus));
        } finally {
            lock.unlock();
        }
    }

    void giveBack(String instance) {
        lock.lock();
        try {
            dealt.remove(instance);
        } finally {
            lock.unlock();
        }
    }

    static long quota(double cpu) {
        return Math.max(QUOTA_MINIMUM, Math.round(cpu * PERIOD_MICROS));
    }

    /// `0-2,5`, as the kernel writes it.
    static List<Integer> parse(String text) {
        var out = new TreeSet<Integer>();
        for (var part : text.strip().split(",")) {
            var ends = part.split("-");
            if (!part.isBlank()) {
                for (int c = Integer.parseInt(ends[0]); c <= Integer.parseInt(ends[ends.length - 1]); c++) {
                    out.add(c);
                }
            }
        }
        return new ArrayList<>(out);
    }

    static String text(List<Integer> cpus) {
        return String.join(",", cpus.stream().map(String::valueOf).toList());
    }
}
