// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.model.Problem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/// Signed heads that were kept elsewhere, by tenant and number, as the file beside the database has them: whoever forges all that is on this host does not have those.
public final class KeptHeads {
    public static final KeptHeads NONE = new KeptHeads(List.of());

    private final NavigableMap<String, NavigableMap<Long, Head>> heads = new TreeMap<>();

    private KeptHeads(List<String> lines) {
        lines.forEach(this::add);
    }

    /// Each line is one; a line that is none is refused, as it was meant to be.
    public static KeptHeads of(List<String> lines) {
        return lines.isEmpty() ? NONE : new KeptHeads(lines);
    }

    /// Of a file that is not trusted. Empty lines are left out.
    public static KeptHeads read(Path file) throws IOException {
        var kept = new KeptHeads(List.of());
        try (var lines = new Lines(file)) {
            for (String line = lines.next(); line != null; line = lines.next()) {
                if (!line.isBlank()) {
                    kept.add(line);
                }
            }
        }
        if (kept.heads.isEmpty()) {
            throw Problem.field("heads", file + " holds no signed head", "a file of signed heads, one a line");
        }
        return kept;
    }

    /// The newest `most` lines that tell the same: the last of each chain is always among them.
    public List<String> newest(int most) {
        long each = Math.max(1, most / Math.max(1, heads.size()));
        return heads.values().stream().flatMap(chain -> chain.descendingMap().values().stream().limit(each)).limit(most).map(head -> Canonical.text(head.json())).toList();
    }

    private void add(String line) {
        var head = Head.from(Json.object(line));
        if (head == null) {
            throw Problem.field("heads", "'" + (line.length() > 80 ? line.substring(0, 80) + "..." : line) + "' is no signed head", "lines of heads.log");
        }
        var chain = heads.computeIfAbsent(head.tenant(), t -> new TreeMap<>());
        var other = chain.put(head.seq(), head);
        if (other != null && !other.hash().equals(head.hash())) {
            throw Problem.field("heads", "two of them say different things of record " + head.seq() + " of " + head.tenant(), "heads of one installation");
        }
    }

    long count() {
        return heads.values().stream().mapToInt(NavigableMap::size).sum();
    }

    /// What a message adds where some were compared.
    static String told(long count) {
        return count == 0 ? "" : ", as " + (count == 1 ? "a head" : count + " heads") + " kept elsewhere " + (count == 1 ? "says" : "say");
    }

    NavigableMap<String, NavigableMap<Long, Head>> byTenant() {
        return heads;
    }

    NavigableMap<Long, Head> of(String tenant) {
        return heads.getOrDefault(tenant, new TreeMap<>());
    }
}
