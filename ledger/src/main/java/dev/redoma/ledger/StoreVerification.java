// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.store.Store;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// Walks every chain of the database against the signed heads in it and in the file outside it. For one use.
final class StoreVerification {
    private static final int PAGE = 1_000;

    private final Store store;
    private final HeadsLog log;
    private final String publicKey;
    private final BodyKeys keys;
    private final KeptHeads kept;
    private final NavigableMap<String, NavigableMap<Long, Head>> heads = new TreeMap<>();
    private long records;
    private long gaps;
    private final Map<String, Unopened> unopened = new TreeMap<>();
    /// By owner of a key, whether that key is there and opens; of one chain at a time.
    private final Map<String, Boolean> opening = new HashMap<>();

    /// `kept`: heads that were kept elsewhere; each must be in its chain.
    StoreVerification(Store store, HeadsLog log, String publicKey, BodyKeys keys, KeptHeads kept) {
        this.keys = keys;
        this.kept = kept;
        this.store = store;
        this.log = log;
        this.publicKey = publicKey;
    }

    Verdict run() {
        var lacking = gatherHeads();
        store.read(Tip::tenants).forEach(tenant -> heads.computeIfAbsent(tenant, t -> new TreeMap<>()));
        for (var chain : heads.entrySet()) {
            var check = new ChainCheck(chain.getKey(), chain.getValue());
            boolean sound = check.signatures(publicKey) && walk(check, chain.getKey()) && check.end();
            var failure = check.failure();
            if (!sound && failure != null) {
                return failed(failure);
            }
            gaps += check.gaps();
        }
        if (lacking != null) {
            return failed(new ChainCheck.Failure(lacking.tenant(), lacking.seq(),
                    "the head at record " + lacking.seq() + " is in the database, but not in " + log.file()));
        }
        var hidden = Unopened.verdict(unopened, records, "are whole" + KeptHeads.told(kept.count()) + ChainCheck.told(gaps));
        if (hidden != null) {
            return hidden;
        }
        return new Verdict(Verdict.Status.OK, records, null, 0, records + " records in " + heads.size() + " chains are whole" + KeptHeads.told(kept.count()) + ChainCheck.told(gaps));
    }

    private Verdict failed(ChainCheck.Failure failure) {
        return new Verdict(Verdict.Status.FAILED, records, failure.tenant(), failure.record(), failure.message());
    }

    /// First those of the database, then those of the file, which is always the first to be written. Returns one of the database's that
    /// the file lacks.
    private @Nullable Head gatherHeads() {
        List<Head> inside = store.read(tx -> Checkpoints.heads(tx, ""));
        try {
            var outside = log.read();
            outside.forEach(this::add);
            inside.forEach(this::add);
            kept.byTenant().values().forEach(chain -> chain.values().forEach(this::add));
            var known = new HashSet<>(outside);
            return inside.stream().filter(head -> !known.contains(head)).findFirst().orElse(null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Two heads of one record that differ cannot both fit: keeping the later one makes the walk find out.
    private void add(Head head) {
        heads.computeIfAbsent(head.tenant(), t -> new TreeMap<>()).put(head.seq(), head);
    }

    /// The next page is read, by a thread of the store, while this one is checked.
    private boolean walk(ChainCheck check, String tenant) {
        var hidden = unopened.computeIfAbsent(tenant, t -> new Unopened());
        opening.clear();
        try (var reading = Executors.newVirtualThreadPerTaskExecutor()) {
            var next = reading.submit(() -> page(tenant, 0));
            while (true) {
                var page = taken(next);
                if (page.size() == PAGE) {
                    next = reading.submit(() -> page(tenant, page.getLast().seq()));
                }
                for (var row : page) {
                    if (!sound(check, row, hidden)) {
                        return false;
                    }
                    records++;
                }
                if (page.size() < PAGE) {
                    return true;
                }
            }
        }
    }

    private List<Row> page(String tenant, long after) {
        return store.read(tx -> Rows.page(tx, tenant, after, Long.MAX_VALUE, PAGE));
    }

    private static List<Row> taken(Future<List<Row>> page) {
        try {
            return page.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RedomaException refused ? refused : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.of(Code.STOPPING, "The verification was interrupted.", "Start it again.").raise();
        }
    }

    private boolean sound(ChainCheck check, Row row, Unopened hidden) {
        Map<String, Object> body = Json.object(row.body());
        if (row.seq() != check.seq() + 1) {
            return check.fail(check.seq() + 1, "record " + (check.seq() + 1) + " is missing (found " + row.seq() + ")");
        }
        if (body == null) {
            return check.fail(row.seq(), "record " + row.seq() + " was changed: it cannot be read");
        }
        hidden.look(body);
        byte[] sealed = row.sealed();
        if (sealed != null && !opening.computeIfAbsent(row.owner(), owner -> store.read(tx -> keys.opens(tx, row, sealed)))) {
            hidden.of(body, row.seq());
        }
        return repeats(row, body)
                ? check.next(body, row.body(), Digests.hex(row.hash()), row.sealed())
                : check.fail(row.seq(), "record " + row.seq() + " was changed: its columns differ from its body");
    }

    private static boolean repeats(Row row, Map<String, Object> body) {
        return Objects.equals(body.get("tenant"), row.tenant())
                && Objects.equals(body.get("seq"), row.seq())
                && Objects.equals(body.get("at"), row.at())
                && Objects.equals(body.get("sandbox"), row.sandbox())
                && Objects.equals(body.get("exec"), row.exec())
                && Objects.equals(body.get("category"), row.category())
                && Objects.equals(body.get("action"), row.action())
                && Objects.equals(body.get("prev"), Digests.hex(row.prev()));
    }
}
