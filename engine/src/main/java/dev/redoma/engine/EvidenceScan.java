// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Ledger;
import dev.redoma.ledger.redact.Hits;
import dev.redoma.ledger.redact.Mark;
import dev.redoma.ledger.redact.Masks;
import dev.redoma.ledger.redact.Matcher;
import dev.redoma.ledger.redact.Patterns;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.AuditRecord;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.Scanned;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One look through everything that is kept: records, words and output of commands, logs of sandboxes. Not thread-safe.
final class EvidenceScan {
    private static final int LISTED = 1000;
    private static final int PAGE = 500;

    private final Core core;
    private final Execs execs;
    private final Ledger ledger;
    private final Caller caller;
    private final List<Scanned.Finding> findings = new ArrayList<>();
    private long more;
    private long records;
    private long commands;
    private long outputs;
    private long bytes;

    EvidenceScan(Core core, Execs execs, Ledger ledger, Caller caller) {
        this.core = core;
        this.execs = execs;
        this.caller = caller;
        this.ledger = ledger;
    }

    private record Place(String where, String tenant, @Nullable String sandbox, @Nullable String exec, @Nullable Long seq) {}

    private record Of(String sandbox, String tenant) {}

    Scanned run(@Nullable String tenant) {
        var tenants = tenant != null ? List.of(tenant) : core.store().read(tx -> tx.createQuery("SELECT DISTINCT tenant FROM record").mapTo(String.class).list());
        tenants.forEach(this::records);
        var all = core.store().read(tx -> tx.createQuery("SELECT id, tenant FROM sandbox WHERE :tenant IS NULL OR tenant = :tenant").bind("tenant", tenant)
                .map((rs, ctx) -> new Of(rs.getString(1), rs.getString(2))).list());
        all.forEach(this::sandbox);
        return new Scanned(findings.isEmpty() ? "clean" : "found", records, commands, outputs, bytes, more, findings);
    }

    private void records(String tenant) {
        long after = 0;
        for (List<AuditRecord> page; !(page = ledger.read(tenant, null, null, after, PAGE)).isEmpty(); after = page.getLast().seq()) {
            for (var r : page) {
                records++;
                var hits = new Hits();
                Masks.fields(r.fields(), words(r.sandbox()), hits);
                found(new Place("record", tenant, r.sandbox(), r.exec(), r.seq()), hits.counts());
            }
        }
    }

    private Patterns words(@Nullable String sandbox) {
        return sandbox == null ? Patterns.shapes() : core.redactions().words(new SandboxId(sandbox));
    }

    private void sandbox(Of of) {
        var id = new SandboxId(of.sandbox);
        var lines = core.store().read(tx -> tx.createQuery("SELECT line FROM system_log WHERE sandbox = :id").bind("id", of.sandbox).mapTo(String.class).list());
        look(new Place("log", of.tenant, of.sandbox, null, null), lines, words(of.sandbox));
        long after = 0;
        var last = "";
        for (List<Exec> page; !(page = page(id, after, last)).isEmpty(); after = ExecRows.micros(page.getLast().startedAt()), last = page.getLast().id()) {
            page.forEach(exec -> exec(of, id, exec));
        }
    }

    private List<Exec> page(SandboxId id, long after, String last) {
        return core.store().read(tx -> ExecRows.page(tx, id, after, last, PAGE));
    }

    private void exec(Of of, SandboxId id, Exec exec) {
        commands++;
        var words = new ArrayList<>(exec.argv());
        words.add(String.valueOf(exec.label()));
        words.add(String.valueOf(exec.reason()));
        look(new Place("command", of.tenant, of.sandbox, exec.id(), null), words, words(of.sandbox));
        if (exec.outputBytes() > 0 || exec.endedAt() == null) {
            outputs++;
            output(new Place("output", of.tenant, of.sandbox, exec.id(), null), core.redactions().output(id), execs.output(caller, of.sandbox, exec.id(), 0, false, true));
        }
    }

    private void look(Place place, List<String> texts, Patterns patterns) {
        var hits = new Hits();
        texts.forEach(text -> patterns.mask(text, hits));
        found(place, hits.counts());
    }

    private void output(Place place, Patterns patterns, Execs.Output output) {
        var matchers = new Matcher[] {new Matcher(patterns), new Matcher(patterns)};
        var hits = new Hits[] {new Hits(), new Hits()};
        try (output) {
            for (Execs.Chunk chunk; (chunk = output.next(Duration.ZERO)) != null && !chunk.isEmpty(); ) {
                byte[] copy = chunk.copy();
                bytes += copy.length;
                matchers[chunk.stream() - 1].feed(copy, 0, copy.length, hits[chunk.stream() - 1]);
                hits[chunk.stream() - 1].take();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.of(Code.REQUEST_TIMEOUT, "The scan was interrupted.", "Try again.").raise(e);
        }
        for (var h : hits) {
            found(place, h.counts());
        }
    }

    private void found(Place at, Map<Mark, Long> counts) {
        counts.forEach((mark, count) -> {
            if (findings.size() < LISTED) {
                findings.add(new Scanned.Finding(at.where, at.tenant, at.sandbox, at.exec, at.seq, mark.kind(), mark.name(), mark.form(), count));
            } else {
                more++;
            }
        });
    }
}
