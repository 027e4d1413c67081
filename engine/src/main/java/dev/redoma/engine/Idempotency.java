// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.store.Store;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Same key, same body: the same sandbox, once. A call that comes while the first is at work waits for it and shares its outcome. The
/// key's row is written with the sandbox's and goes if the creation fails. Thread-safe.
final class Idempotency {
    private final Store store;
    private final UnaryOperator<byte[]> digest;
    private final ConcurrentHashMap<String, Flight> flights = new ConcurrentHashMap<>();

    /// `digest`: of a request, which may hold secrets: one that cannot be tried out by whoever has the database alone.
    Idempotency(Store store, UnaryOperator<byte[]> digest) {
        this.store = store;
        this.digest = digest;
    }

    @Nullable Key key(Caller caller, @Nullable String key, Object request) {
        RequestRules.key(key);
        if (key == null) {
            return null;
        }
        byte[] text = (request.getClass().getSimpleName() + Columns.json(request)).getBytes(StandardCharsets.UTF_8);
        return new Key(caller.key(), key, HexFormat.of().formatHex(digest.apply(text)));
    }

    /// A key as given by a caller, with the digest of what it was given for.
    record Key(String caller, String key, String hash) {

        void claim(Handle tx, SandboxId sandbox, Instant now) {
            tx.createUpdate("INSERT INTO idempotency (key, caller, request_hash, sandbox, created_at) VALUES (:key, :caller, :hash, :sandbox, :at)")
                    .bind("key", key).bind("caller", caller).bind("hash", hash).bind("sandbox", sandbox.value()).bind("at", Columns.micros(now))
                    .execute();
        }
    }

    private record Flight(String hash, CompletableFuture<SandboxRow> outcome) {}

    /// A sandbox, and whether it was there before this call.
    record Outcome(SandboxRow row, boolean reused) {}

    Outcome once(@Nullable Key key, Supplier<Outcome> create) {
        if (key == null) {
            return create.get();
        }
        var mine = new Flight(key.hash(), new CompletableFuture<>());
        String slot = key.caller() + " " + key.key();
        Flight first = flights.putIfAbsent(slot, mine);
        if (first != null) {
            same(key, first.hash());
            return new Outcome(Background.joined(first.outcome()), true);
        }
        try {
            Outcome outcome = before(key).map(row -> new Outcome(row, true)).orElseGet(create);
            mine.outcome().complete(outcome.row());
            return outcome;
        } catch (RuntimeException | Error failed) {
            mine.outcome().completeExceptionally(failed);
            throw failed;
        } finally {
            flights.remove(slot, mine);
        }
    }

    private Optional<SandboxRow> before(Key key) {
        record Earlier(String hash, String sandbox) {}
        return store.read(tx -> tx.createQuery("SELECT request_hash, sandbox FROM idempotency WHERE caller = :caller AND key = :key")
                .bind("caller", key.caller()).bind("key", key.key())
                .map((rs, ctx) -> new Earlier(rs.getString(1), rs.getString(2))).findOne()
                .map(earlier -> {
                    same(key, earlier.hash());
                    return SandboxRows.get(tx, new SandboxId(earlier.sandbox()));
                }));
    }

    private static void same(Key key, String hash) {
        if (!key.hash().equals(hash)) {
            throw Problem.of(Code.IDEMPOTENCY_CONFLICT, "This Idempotency-Key was used with another request.", "Use a new key for a new request.").raise();
        }
    }

    static void forget(Handle tx, SandboxId sandbox) {
        tx.createUpdate("DELETE FROM idempotency WHERE sandbox = :sandbox").bind("sandbox", sandbox.value()).execute();
    }
}
