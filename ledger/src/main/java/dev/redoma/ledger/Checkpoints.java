// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.store.Sql;
import dev.redoma.store.Store;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Signs the heads of the chains. Thread-safe.
final class Checkpoints {
    private final Store store;
    private final SigningKey key;
    private final HeadsLog log;
    private final ReentrantLock lock = new ReentrantLock(); // one at a time, so that the file's order is the chains' order

    Checkpoints(Store store, SigningKey key, HeadsLog log) {
        this.store = store;
        this.key = key;
        this.log = log;
    }

    /// Signs each chain that has grown. The file comes first: a head in the database is then always in the file too.
    void sign() {
        lock.lock();
        try {
            var grown = store.read(this::grown);
            if (!grown.isEmpty()) {
                log.append(grown);
                store.write(tx -> insert(tx, grown));
            }
        } catch (IOException e) {
            throw Problem.of(Code.RECORD_FAILED, "The heads of the ledger could not be written to " + log.file() + ": " + e.getMessage(),
                    "See that its disk has space and is writable, then try again.").raise(e);
        } finally {
            lock.unlock();
        }
    }

    private List<Head> grown(Handle tx) {
        var grown = new ArrayList<Head>();
        long now = ChainLedger.now();
        for (var tenant : Tip.tenants(tx)) {
            var tip = Tip.of(tx, tenant);
            var last = last(tx, tenant);
            if (last != null) {
                refuseContradiction(tx, last);
            }
            if (last == null || tip.seq() > last.seq()) {
                grown.add(Head.sign(key, tenant, tip.seq(), Digests.hex(tip.hash()), now));
            }
        }
        return grown;
    }

    /// Our signature must not cover up that a signed record was changed or cut away.
    private static void refuseContradiction(Handle tx, Head last) {
        byte[] hash = Sql.first(tx, row -> row.getBytes(1), "SELECT hash FROM record WHERE tenant = ? AND seq = ?", last.tenant(), last.seq());
        if (!Arrays.equals(hash, Digests.bytes(last.hash()))) {
            throw Problem.of(Code.HOST_FAILED, "The ledger of tenant " + last.tenant() + " no longer leads to its signed head at record "
                            + last.seq() + ".", "Run redoma audit verify, and restore the database from a backup.").raise();
        }
    }

    private static @Nullable Head last(Handle tx, String tenant) {
        return heads(tx, "WHERE tenant = ? ORDER BY seq DESC LIMIT 1", tenant).stream().findFirst().orElse(null);
    }

    static List<Head> heads(Handle tx, String where, Object... values) {
        return Sql.list(tx, row -> new Head(row.getString(1), row.getLong(2), row.getString(3), row.getLong(4), row.getString(5), row.getString(6)),
                "SELECT tenant, seq, hash, at, key, signature FROM head " + where, values);
    }

    private static int insert(Handle tx, List<Head> heads) {
        for (var head : heads) {
            Sql.update(tx, "INSERT INTO head (tenant, seq, hash, at, key, signature) VALUES (?, ?, ?, ?, ?, ?)",
                    head.tenant(), head.seq(), head.hash(), head.at(), head.key(), head.signature());
        }
        return heads.size();
    }

    /// The present heads of one tenant or of all, signed now if need be.
    List<Head> heads(@Nullable String tenant) {
        sign();
        return store.read(tx -> {
            var heads = new ArrayList<Head>();
            for (var each : tenant == null ? Tip.tenants(tx) : List.of(tenant)) {
                var last = last(tx, each);
                if (last != null) {
                    heads.add(last);
                }
            }
            return heads;
        });
    }
}
