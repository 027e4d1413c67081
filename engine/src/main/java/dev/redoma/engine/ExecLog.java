// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Problem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// The ledger's records of execs: requested and approved before it starts, ended before its result is given.
final class ExecLog {
    private static final String CATEGORY = "exec";

    private final Ledger ledger;

    ExecLog(Ledger ledger) {
        this.ledger = ledger;
    }

    void begin(Handle tx, ExecFacts facts, Set<String> envNames, Optional<String> approval) {
        var open = new HashMap<String, Object>();
        open.put("tty", facts.spec().tty() != null);
        open.put("stdin", facts.stdin());
        open.put("outputLimitBytes", facts.outputLimit());
        put(open, "timeoutMs", facts.spec().timeoutMs());
        var sealed = new HashMap<String, Object>();
        sealed.put("argv", facts.spec().argv());
        sealed.put("cwd", ExecRows.shown(facts.cwd()));
        sealed.put("user", facts.user());
        sealed.put("envNames", List.copyOf(envNames));
        put(sealed, "label", facts.spec().label());
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

    /// The guest refused to start it.
    void refused(Handle tx, ExecFacts facts, Problem problem) {
        append(tx, facts, "ended", Map.of("state", "refused", "code", problem.code().wire()), Map.of("message", problem.message()),
                List.of("code", "message"));
    }

    private void append(Handle tx, ExecFacts f, String action, Map<String, Object> open, Map<String, Object> sealed, List<String> fromGuest) {
        var facts = new HashMap<>(open);
        facts.put("digest", f.version());
        ledger.append(tx, new Entry(f.tenant(), f.actor(), f.sandbox().value(), f.id().value(), CATEGORY, action, facts, sealed, fromGuest));
    }

    private static void put(Map<String, Object> into, String name, @Nullable Object value) {
        if (value != null) {
            into.put(name, value);
        }
    }
}
