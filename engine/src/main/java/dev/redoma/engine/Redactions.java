// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.ledger.redact.Masks;
import dev.redoma.ledger.redact.Patterns;
import dev.redoma.ledger.redact.Secret;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.Redact;
import dev.redoma.store.Sql;
import dev.redoma.store.Store;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// What is masked of each sandbox. The values lie sealed under the sandbox's own key in the table `redaction`, are told to nobody, and are
/// gone when that key is erased. Thread-safe.
final class Redactions implements Masks, Masking {
    /// Made ready for so many sandboxes; of those without values there is nothing to keep.
    private static final int READY = 256;

    private final Store store;
    private final Ledger ledger;
    private final boolean tokens;
    private final Map<String, Sets> ready = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Sets> eldest) {
            return size() > READY;
        }
    };

    /// How often more was registered since this server runs.
    private final Map<String, Long> changes = new HashMap<>();

    private record Sets(Patterns output, Patterns words) {}

    /// `tokens`: what has the shape of a token is masked in output where a request does not say.
    Redactions(Store store, Ledger ledger, boolean tokens) {
        this.store = store;
        this.ledger = ledger;
        this.tokens = tokens;
    }

    /// With the sandbox's row; before anything is recorded of it.
    void insert(Handle tx, SandboxRow row, @Nullable Redact redact) {
        if (redact == null) {
            return;
        }
        byte[] sealed = ledger.seal(tx, row.tenant().value(), row.id().value(), Columns.json(redact).getBytes(StandardCharsets.UTF_8));
        Sql.update(tx, "INSERT INTO redaction (sandbox, tenant, sealed) VALUES (?, ?, ?)", row.id().value(), row.tenant().value(), sealed);
        synchronized (ready) {
            ready.remove(row.id().value());
        }
    }

    /// More of one that lives: masked in all that comes once this has returned. The names of all there are. A name that stands for another value already is refused: that one stays masked.
    List<String> add(SandboxId sandbox, String actor, Redact more) {
        var id = sandbox.value();
        try {
            return store.write(tx -> {
                var row = SandboxRows.get(tx, sandbox);
                if (row.state() == State.ENDED) {
                    throw Access.wrongState(row, "mask more of");
                }
                var all = of(tx, id).orElse(new Redact(Map.of(), null)).with(more.values());
                if (all == null || RedactRules.check(all) == null) {
                    throw Problem.field("values", "has a name that stands for another value already", "another name: what is registered stays masked");
                }
                byte[] sealed = ledger.seal(tx, row.tenant().value(), id, Columns.json(all).getBytes(StandardCharsets.UTF_8));
                Sql.update(tx, "INSERT INTO redaction (sandbox, tenant, sealed) VALUES (?, ?, ?) ON CONFLICT (sandbox) DO UPDATE SET sealed = excluded.sealed", id, row.tenant().value(), sealed);
                ledger.append(tx, new Entry(row.tenant().value(), actor, id, null, "redaction", "registered", Map.of("values", more.values().size()), Map.of("names", List.copyOf(more.values().keySet())), List.of()));
                return List.copyOf(all.values().keySet());
            });
        } finally {
            synchronized (ready) {
                ready.remove(id);
                changes.merge(id, 1L, Long::sum);
            }
        }
    }

    @Override
    public long changes(SandboxId sandbox) {
        synchronized (ready) {
            return changes.getOrDefault(sandbox.value(), 0L);
        }
    }

    /// Empty where there is nothing or its key was erased.
    Optional<Redact> of(Handle tx, String sandbox) {
        record Sealed(String tenant, byte[] bytes) {}
        var row = Sql.first(tx, rs -> new Sealed(rs.getString(1), rs.getBytes(2)), "SELECT tenant, sealed FROM redaction WHERE sandbox = ?", sandbox);
        byte[] plain = row == null ? null : ledger.open(tx, row.tenant, sandbox, row.bytes);
        return plain == null ? Optional.empty() : Optional.of(Columns.parse(new String(plain, StandardCharsets.UTF_8), Redact.class));
    }

    @Override
    public Patterns of(Handle tx, String tenant, @Nullable String sandbox) {
        return sandbox == null ? Patterns.shapes() : sets(tx, sandbox).words;
    }

    @Override
    public Patterns output(SandboxId sandbox) {
        return sets(sandbox).output;
    }

    @Override
    public Patterns words(SandboxId sandbox) {
        return sets(sandbox).words;
    }

    private Sets sets(SandboxId sandbox) {
        synchronized (ready) {
            var known = ready.get(sandbox.value());
            if (known != null) {
                return known;
            }
        }
        return store.read(tx -> sets(tx, sandbox.value()));
    }

    private Sets sets(Handle tx, String sandbox) {
        long at;
        synchronized (ready) {
            var known = ready.get(sandbox);
            if (known != null) {
                return known;
            }
            at = changes.getOrDefault(sandbox, 0L);
        }
        var made = made(of(tx, sandbox).orElse(null));
        synchronized (ready) {
            if (at == changes.getOrDefault(sandbox, 0L)) {
                ready.put(sandbox, made);
            }
        }
        return made;
    }

    private Sets made(@Nullable Redact redact) {
        if (redact == null) {
            return new Sets(Patterns.of(java.util.List.of(), tokens), Patterns.shapes());
        }
        var secrets = redact.values().entrySet().stream().map(e -> new Secret(e.getKey(), e.getValue())).toList();
        var words = Patterns.of(secrets, true);
        boolean shapes = redact.tokens() == null ? tokens : redact.tokens();
        return new Sets(shapes ? words : Patterns.of(secrets, false), words);
    }

    void forget(SandboxId sandbox) {
        synchronized (ready) {
            ready.remove(sandbox.value());
            changes.remove(sandbox.value());
        }
    }
}
