// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.engine.Execs;
import dev.redoma.http.connect.Message;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Exec;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Which command a request means by pid or tag: one that runs, or one that was started here and ended a moment ago. Commands started by
/// these clients are known by their label. Thread-safe.
final class Selected {
    private static final String LABEL = "e2b";
    private static final Duration REMEMBERED = Duration.ofSeconds(30);
    private static final int MOST = 4096;

    private final Execs execs;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Past> past = new LinkedHashMap<>();

    private record Past(Box box, Exec exec) {}

    Selected(Execs execs) {
        this.execs = execs;
    }

    static String label(@Nullable String tag) {
        return tag == null ? LABEL : LABEL + ":" + tag;
    }

    static @Nullable String tag(Exec exec) {
        var label = exec.label();
        return label == null || label.equals(LABEL) ? null : label.substring(LABEL.length() + 1);
    }

    void started(Box box, Exec exec) {
        lock.lock();
        try {
            past.put(exec.id(), new Past(box, exec));
            if (past.size() > MOST) {
                past.remove(past.keySet().iterator().next());
            }
        } finally {
            lock.unlock();
        }
    }

    List<Exec> running(Box box) {
        return execs.running(box.caller(), box.id()).stream().filter(Selected::ours).toList();
    }

    private static boolean ours(Exec exec) {
        return exec.label() != null && (exec.label().equals(LABEL) || exec.label().startsWith(LABEL + ":"));
    }

    /// One that runs.
    Exec running(Box box, @Nullable Message selector) {
        var wanted = Wanted.of(selector);
        return running(box).stream().filter(wanted::is).findFirst().orElseThrow(wanted::notFound);
    }

    /// One that runs, or ended within the last half minute.
    Exec any(Box box, @Nullable Message selector) {
        var wanted = Wanted.of(selector);
        return running(box).stream().filter(wanted::is).findFirst().or(() -> ended(box, wanted)).orElseThrow(wanted::notFound);
    }

    private Optional<Exec> ended(Box box, Wanted wanted) {
        lock.lock();
        List<Past> candidates;
        try {
            candidates = past.values().stream().filter(p -> p.box.id().equals(box.id()) && wanted.is(p.exec)).toList().reversed();
        } finally {
            lock.unlock();
        }
        for (var candidate : candidates) {
            var now = execs.get(box.caller(), box.id(), candidate.exec.id());
            var end = now.endedAt();
            if (end != null && end.plus(REMEMBERED).isAfter(java.time.Instant.now())) {
                return Optional.of(now);
            }
        }
        return Optional.empty();
    }

    /// For one that has ended meanwhile.
    static RedomaException notFound(Exec exec) {
        return new Wanted(exec.pid() == null ? null : exec.pid().longValue(), tag(exec)).notFound();
    }

    private record Wanted(@Nullable Long pid, @Nullable String tag) {

        static Wanted of(@Nullable Message selector) {
            if (selector == null || !selector.has("pid") && !selector.has("tag")) {
                throw Problem.field("process", "names no process", "a selector with pid or tag");
            }
            return selector.has("pid") ? new Wanted(selector.number("pid"), null) : new Wanted(null, selector.text("tag"));
        }

        boolean is(Exec exec) {
            return pid != null ? exec.pid() != null && exec.pid().longValue() == pid : Objects.equals(Selected.tag(exec), tag);
        }

        RedomaException notFound() {
            return Problem.of(Code.EXEC_NOT_FOUND, pid != null ? "process with pid " + pid + " not found" : "process with tag '" + tag + "' not found", "List them.").raise();
        }
    }
}
