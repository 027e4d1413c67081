// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.ExecId;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// All execs in memory, and how many there may be. One counts until its output is closed: until then it has a thread and files. The
/// latest that ended are remembered, because whoever started one asks how it ended. Thread-safe.
final class ExecRuns {
    private static final int REMEMBERED = 256;

    private final int perSandbox;
    private final int inAll;
    private final Map<String, ExecRun> runs = new ConcurrentHashMap<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<SandboxId, Integer> counts = new HashMap<>();
    private final Map<String, ExecRun> ended = new LinkedHashMap<>();
    private int count;

    ExecRuns(int perSandbox, int inAll) {
        this.perSandbox = perSandbox;
        this.inAll = inAll;
    }

    /// Takes a place for one more; QUOTA_EXCEEDED where there is none.
    void reserve(SandboxId sandbox) {
        lock.lock();
        try {
            int here = counts.getOrDefault(sandbox, 0);
            if (here >= perSandbox) {
                throw full("This sandbox", here, perSandbox);
            }
            if (count >= inAll) {
                throw full("This server", count, inAll);
            }
            counts.put(sandbox, here + 1);
            count++;
        } finally {
            lock.unlock();
        }
    }

    private static dev.redoma.model.RedomaException full(String where, int inUse, int limit) {
        return Problem.of(Code.QUOTA_EXCEEDED, where + " runs " + inUse + " commands at a time, the most allowed.",
                        "Wait for one to end, or kill one.")
                .with("limit", limit).with("inUse", inUse).raise();
    }

    /// Takes a place without asking: it runs already.
    void admit(SandboxId sandbox) {
        lock.lock();
        try {
            counts.merge(sandbox, 1, Integer::sum);
            count++;
        } finally {
            lock.unlock();
        }
    }

    void add(ExecRun run) {
        runs.put(run.facts().id().value(), run);
    }

    void remove(ExecRun run) {
        var id = run.facts().id().value();
        lock.lock();
        try {
            if (run.ended() && !run.abandoned()) {
                ended.put(id, run);
                if (ended.size() > REMEMBERED) {
                    ended.remove(ended.keySet().iterator().next());
                }
            }
        } finally {
            lock.unlock();
        }
        runs.remove(id, run);
        release(run.facts().sandbox());
    }

    /// One in memory, running or ended.
    @Nullable ExecRun recall(SandboxId sandbox, String exec) {
        var run = find(sandbox, exec);
        if (run != null) {
            return run;
        }
        lock.lock();
        try {
            var past = ended.get(exec);
            return past == null || !past.facts().sandbox().equals(sandbox) ? null : past;
        } finally {
            lock.unlock();
        }
    }

    /// Remembers one that ended no longer.
    void forget(ExecId exec) {
        lock.lock();
        try {
            ended.remove(exec.value());
        } finally {
            lock.unlock();
        }
    }

    void forget(SandboxId sandbox) {
        lock.lock();
        try {
            ended.values().removeIf(run -> run.facts().sandbox().equals(sandbox));
        } finally {
            lock.unlock();
        }
    }

    void release(SandboxId sandbox) {
        lock.lock();
        try {
            counts.computeIfPresent(sandbox, (k, n) -> n > 1 ? n - 1 : null);
            count--;
        } finally {
            lock.unlock();
        }
    }

    @Nullable ExecRun find(SandboxId sandbox, String exec) {
        var run = runs.get(exec);
        return run == null || !run.facts().sandbox().equals(sandbox) ? null : run;
    }

    List<ExecRun> of(SandboxId sandbox) {
        return runs.values().stream().filter(r -> r.facts().sandbox().equals(sandbox)).toList();
    }

    Collection<ExecRun> all() {
        return runs.values();
    }
}
