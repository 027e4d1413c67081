// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.ledger.redact.Hits;
import dev.redoma.ledger.redact.Masks;
import dev.redoma.ledger.redact.Patterns;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.AuditRecord;
import dev.redoma.store.Store;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// The ledger in the store's database. Its keys (`ledger.key`, `bodies.key`) and the second copy of its signed heads (`heads.log`)
/// are files in the directory given. Thread-safe.
public final class ChainLedger implements Ledger {
    /// Records are counted from 1.
    private static final long NO_RECORD = 0;
    private static final int HEADS_AT_A_TIME = 256 << 10;

    private final Store store;
    private final SigningKey key;
    private final BodyKeys bodyKeys;
    private final HeadsLog log;
    private final Checkpoints checkpoints;
    private final Pruning pruning;
    private final Tips tips;
    private volatile Function<String, Optional<String>> persons = actor -> Optional.empty();
    private volatile boolean purgeOwed;
    private volatile Masks masks = (tx, tenant, sandbox) -> Patterns.shapes();

    private ChainLedger(Store store, Path directory, SigningKey key, BodyKeys bodyKeys) {
        this.store = store;
        this.key = key;
        this.bodyKeys = bodyKeys;
        log = new HeadsLog(directory.resolve("heads.log"));
        checkpoints = new Checkpoints(store, key, log);
        pruning = new Pruning(store, this);
        tips = new Tips(store);
    }

    /// Makes the keys when the database is new; a database that was written with other keys is refused.
    public static ChainLedger open(Store store, Path directory) {
        boolean fresh = Identity.isFresh(store);
        var key = SigningKey.at(directory.resolve("ledger.key"), fresh);
        var bodyKeys = new BodyKeys(store, directory.resolve("bodies.key"), fresh);
        Identity.confirm(store, key.publicKey());
        return new ChainLedger(store, directory, key, bodyKeys);
    }

    /// From now on each record of an actor who is somebody's key says whose.
    public void persons(Function<String, Optional<String>> whose) {
        persons = whose;
    }

    @Override
    public void masks(Masks masks) {
        this.masks = masks;
    }

    @Override
    public long append(Handle tx, Entry asked) {
        var entry = persons.apply(asked.actor()).map(person -> asked.with("person", person)).orElse(asked);
        var hits = new Hits();
        long seq = put(tx, entry.masked(masks.of(tx, entry.tenant(), entry.sandbox()), hits));
        if (!hits.counts().isEmpty()) {
            put(tx, new Entry(entry.tenant(), "engine", entry.sandbox(), entry.exec(), "redaction", "masked",
                    Map.of("in", "record", "record", seq, "of", entry.category() + "." + entry.action()), Map.of("found", Masks.told(hits.counts())), List.of()));
        }
        return seq;
    }

    private long put(Handle tx, Entry entry) {
        var tip = tips.of(tx, entry.tenant());
        long seq = tip.seq() + 1;
        var row = Row.of(entry, seq, now(), tip.hash(), seal(tx, entry, seq));
        row.insert(tx);
        tips.now(entry.tenant(), new Tip(seq, row.hash()));
        return seq;
    }

    @Override
    public byte[] seal(Handle tx, String tenant, String sandbox, byte[] plain) {
        String owner = BodyKeys.owner(tenant, sandbox);
        return Sealing.seal(bodyKeys.own(bodyKeys.forSealing(tx, tenant, owner)), plain, Row.context(tenant, owner, NO_RECORD));
    }

    @Override
    public byte @Nullable [] open(Handle tx, String tenant, String sandbox, byte[] sealed) {
        String owner = BodyKeys.owner(tenant, sandbox);
        var bodyKey = bodyKeys.forOpening(tx, tenant, owner);
        return bodyKey == null ? null : Sealing.open(bodyKeys.own(bodyKey), sealed, Row.context(tenant, owner, NO_RECORD));
    }

    @Override
    public byte[] digest(byte[] bytes) {
        return bodyKeys.digest(bytes);
    }

    private byte @Nullable [] seal(Handle tx, Entry entry, long seq) {
        if (entry.sealed().isEmpty()) {
            return null;
        }
        String owner = BodyKeys.owner(entry.tenant(), entry.sandbox());
        var bodyKey = bodyKeys.forSealing(tx, entry.tenant(), owner);
        byte[] plain = Canonical.text(entry.sealed()).getBytes(StandardCharsets.UTF_8);
        return Sealing.seal(bodyKey, plain, Row.context(entry.tenant(), owner, seq));
    }

    static long now() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    @Override
    public List<AuditRecord> read(@Nullable String tenant, @Nullable String sandbox, @Nullable String category, long after, int limit) {
        bounded(limit);
        return store.read(tx -> shown(tx, Rows.select(tx, tenant, sandbox, category, after, limit)));
    }

    @Override
    public List<AuditRecord> newest(@Nullable String tenant, @Nullable String sandbox, @Nullable String category, int limit) {
        bounded(limit);
        return store.read(tx -> shown(tx, Rows.newest(tx, tenant, sandbox, category, limit)));
    }

    private static void bounded(int limit) {
        if (limit < 1 || limit > 1_000) {
            throw Problem.field("limit", limit + " is out of range", "1 to 1000");
        }
    }

    private List<AuditRecord> shown(Handle tx, List<Row> rows) {
        return rows.stream().map(row -> row.shown(row.sealed() == null ? null : bodyKeys.forOpening(tx, row.tenant(), row.owner()))).toList();
    }

    @Override
    public void export(@Nullable String tenant, OutputStream to) throws IOException {
        new Export(store, key, bodyKeys).write(checkpoints.heads(tenant), to);
    }

    @Override
    public long count(Handle tx, String tenant, String sandbox, String category, java.util.Set<String> actions, @Nullable String actor, String field, String value) {
        return Rows.count(tx, tenant, sandbox, category, actions, actor, field, value);
    }

    @Override
    public void checkpoint() {
        checkpoints.sign();
    }

    @Override
    public long prune(Map<String, Duration> keep) {
        long removed = pruning.run(keep, now());
        if (removed > 0 || purgeOwed) {
            purgeOwed = !store.purge(); // else with the next round
        }
        return removed;
    }

    @Override
    public Verdict verify(KeptHeads kept) {
        return new StoreVerification(store, log, key.publicKey(), bodyKeys, kept).run();
    }

    @Override
    public HeadLines heads(long from) throws IOException {
        return log.since(from, HEADS_AT_A_TIME);
    }

    @Override
    public List<String> tenants() {
        return store.read(Tip::tenants);
    }

    @Override
    public List<AuditRecord> following(String tenant, long after, int limit, boolean sealed) {
        bounded(limit);
        return store.read(tx -> {
            var rows = Rows.page(tx, tenant, after, Long.MAX_VALUE, limit);
            return sealed ? shown(tx, rows) : rows.stream().map(Row::closed).toList();
        });
    }

    @Override
    public String publicKey() {
        return key.publicKey();
    }

    @Override
    public @Nullable String tenantOf(Handle tx, String sandbox) {
        return bodyKeys.tenantOf(tx, sandbox);
    }

    @Override
    public void erase(Handle tx, String tenant, String sandbox) {
        bodyKeys.erase(tx, tenant, BodyKeys.owner(tenant, sandbox), now());
    }
}
