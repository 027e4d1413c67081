// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.ledger.redact.Masks;
import dev.redoma.model.Problem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// The ledger's records of execs: requested and approved before it starts, ended before its result is given.
final class ExecLog {
    private static final String CATEGORY = "exec";

    private final Ledger ledger;

    ExecLog(Ledger ledger) {
        this.ledger = ledger;
    }

    void begin(Handle tx, ExecFacts facts, ExecOrder order, Optional<String> approval) {
        var open = new HashMap<String, Object>();
        open.put("tty", facts.spec().tty() != null);
        open.put("stdin", facts.stdin());
        open.put("outputLimitBytes", facts.outputLimit());
        put(open, "timeoutMs", facts.spec().timeoutMs());
        var sealed = new HashMap<String, Object>();
        sealed.put("argv", order.spec().argv()); // as asked for: the ledger masks it and says so
        sealed.put("cwd", ExecRows.shown(order.cwd()));
        sealed.put("user", facts.user());
        sealed.put("envNames", List.copyOf(order.env().keySet()));
        put(sealed, "label", order.spec().label());
        append(tx, facts, "requested", open, sealed, List.of());
        append(tx, facts, "approved", approval.<Map<String, Object>>map(id -> Map.of("by", "approval", "approval", id)).orElse(Map.of("by", "policy")), Map.of(), List.of());
    }

    void end(Handle tx, ExecFacts facts, ExecOutcome o, ExecRows.Output output, String digest, long memoryLimit) {
        var open = new HashMap<String, Object>();
        open.put("state", o.state());
        put(open, "exitCode", o.exitCode());
        put(open, "signal", o.signal());
        open.put("timedOut", o.timedOut());
        open.put("killed", o.killed());
        open.put("oomKilled", o.oomKilled());
        put(open, "reason", o.reason());
        open.put("wallMicros", o.wallMicros());
        put(open, "cpuMicros", o.cpuMicros());
        put(open, "peakMemoryBytes", o.peakBytes());
        open.put("memoryLimitBytes", memoryLimit);
        open.put("outputBytes", output.kept());
        open.put("droppedBytes", output.dropped());
        append(tx, facts, "ended", open, Map.of("outputSha256", digest), List.of("exitCode", "signal", "outputSha256"));
    }

    /// What somebody is about to do to it: `input`, `signal`, `kill`.
    void acted(Handle tx, Live live, String exec, String key, String action, Map<String, Object> open) {
        var facts = new HashMap<>(open);
        facts.put("digest", live.version());
        ledger.append(tx, new Entry(live.tenant().value(), key, live.id().value(), exec, CATEGORY, action, facts, Map.of(), List.of()));
    }

    /// What each key wrote into it. `until`: its end, or that of the server.
    void inputs(Handle tx, ExecFacts facts, List<InputTally.Total> totals, boolean recovered, String until) {
        for (var total : totals) {
            var open = new HashMap<String, Object>(Map.of("bytes", total.bytes(), "closed", total.closed(), "until", until));
            if (recovered) {
                open.put("since", "restart");
            }
            append(tx, facts, total.key(), "input.total", open, Map.of("sha256", total.sha256()), List.of());
        }
    }

    /// The first thing in its output that is not to be seen; before anything of it is shown.
    void masking(Handle tx, ExecFacts facts) {
        ledger.append(tx, redaction(facts, "masking", Map.of("in", "output"), Map.of()));
    }

    /// What was masked in its output, if anything was. `shownBytes`: of what had been shown before it was clear what it is.
    void masked(Handle tx, ExecFacts facts, MaskedOutput output, String until) {
        var counts = output.unrecorded();
        if (!counts.isEmpty()) {
            var open = new HashMap<String, Object>(Map.of("in", "output", "until", until, "shownBytes", output.shownBefore()));
            if (output.continued()) {
                open.put("since", "restart");
            }
            ledger.append(tx, redaction(facts, "masked", open, Map.of("found", Masks.told(counts)))); // it names what was registered
        }
    }

    private static Entry redaction(ExecFacts f, String action, Map<String, Object> open, Map<String, Object> sealed) {
        return new Entry(f.tenant(), Records.ENGINE, f.sandbox().value(), f.id().value(), "redaction", action, open, sealed, List.of());
    }

    /// The guest refused to start it.
    void refused(Handle tx, ExecFacts facts, Problem problem) {
        append(tx, facts, "ended", Map.of("state", "refused", "code", problem.code().wire()), Map.of("message", problem.message()),
                List.of("code", "message"));
    }

    private void append(Handle tx, ExecFacts f, String action, Map<String, Object> open, Map<String, Object> sealed, List<String> fromGuest) {
        append(tx, f, f.actor(), action, open, sealed, fromGuest);
    }

    private void append(Handle tx, ExecFacts f, String actor, String action, Map<String, Object> open, Map<String, Object> sealed, List<String> fromGuest) {
        var facts = new HashMap<>(open);
        facts.put("digest", f.version());
        ledger.append(tx, new Entry(f.tenant(), actor, f.sandbox().value(), f.id().value(), CATEGORY, action, facts, sealed, fromGuest));
    }

    private static void put(Map<String, Object> into, String name, @Nullable Object value) {
        if (value != null) {
            into.put(name, value);
        }
    }
}
