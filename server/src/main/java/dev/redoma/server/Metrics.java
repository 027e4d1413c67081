// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/// A few counts in Prometheus' text form.
final class Metrics {
    private final Store store;
    private final Supplier<Map<String, Long>> forwarding;

    /// `forwarding`: by what is sent elsewhere, 1 where that fails.
    Metrics(Store store, Supplier<Map<String, Long>> forwarding) {
        this.store = store;
        this.forwarding = forwarding;
    }

    String text() {
        var out = new StringBuilder();
        family(out, "redoma_sandboxes", "Sandboxes by state.", "state", counts("sandbox"));
        family(out, "redoma_execs", "Execs by state.", "state", counts("exec"));
        var failing = forwarding.get();
        if (!failing.isEmpty()) {
            family(out, "redoma_audit_forward_failing", "1 where the last attempt to send evidence elsewhere failed.", "what", failing);
        }
        out.append("# HELP process_resident_memory_bytes Resident memory of the server.\n# TYPE process_resident_memory_bytes gauge\n")
                .append("process_resident_memory_bytes ").append(residentBytes()).append('\n');
        return out.toString();
    }

    private Map<String, Long> counts(String table) {
        return store.read(tx -> {
            var counts = new TreeMap<String, Long>();
            tx.createQuery("SELECT state, count(*) FROM " + table + " GROUP BY state")
                    .map((rs, ctx) -> Map.entry(rs.getString(1), rs.getLong(2))).forEach(row -> counts.put(row.getKey(), row.getValue()));
            return counts;
        });
    }

    private static void family(StringBuilder out, String name, String help, String label, Map<String, Long> counts) {
        out.append("# HELP ").append(name).append(' ').append(help).append("\n# TYPE ").append(name).append(" gauge\n");
        counts.forEach((state, n) -> out.append(name).append("{" + label + "=\"").append(state).append("\"} ").append(n).append('\n'));
    }

    private static long residentBytes() {
        try {
            var pages = Files.readString(Path.of("/proc/self/statm")).split(" ")[1];
            return Long.parseLong(pages) * 4096;
        } catch (IOException noProc) {
            return -1;
        }
    }
}
