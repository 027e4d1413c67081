// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Amounts;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Limits;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Fills a request's limits with the server's defaults and refuses, by name and with what is allowed, those out of bounds.
final class LimitRules {
    private final EngineConfig.Bounds bounds;

    LimitRules(EngineConfig.Bounds bounds) {
        this.bounds = bounds;
    }

    /// Every limit in force; `base` is what a missing one falls back to (the source of a fork, else the server's defaults).
    Limits fill(@Nullable Limits asked, Limits base) {
        Limits a = asked == null ? Limits.DEFAULTS : asked;
        long memory = number("limits.memoryBytes", a.memoryBytes(), base.memoryBytes(), Limits::memoryBytes);
        return new Limits(
                cpu(a.cpu(), base.cpu()),
                memory,
                number("limits.diskBytes", a.diskBytes(), base.diskBytes(), Limits::diskBytes),
                number("limits.pids", a.pids(), base.pids(), Limits::pids),
                number("limits.openFiles", a.openFiles(), base.openFiles(), Limits::openFiles),
                shm(a.shmBytes(), base.shmBytes(), memory),
                a.ioBytesPerSecond() == null
                        ? base.ioBytesPerSecond()
                        : (Long) number("limits.ioBytesPerSecond", a.ioBytesPerSecond(), null, Limits::ioBytesPerSecond),
                number("limits.lifetimeMs", a.lifetimeMs(), base.lifetimeMs(), Limits::lifetimeMs),
                number("limits.idleMs", a.idleMs(), base.idleMs(), Limits::idleMs));
    }

    Limits fill(@Nullable Limits asked) {
        return fill(asked, bounds.defaults());
    }

    /// A lifetime on its own, as `setLifetime` gets it.
    long lifetime(long millis) {
        return number("lifetimeMs", millis, null, Limits::lifetimeMs);
    }

    private double cpu(@Nullable Double asked, @Nullable Double fallback) {
        double least = given(bounds.least().cpu());
        double most = given(bounds.most().cpu());
        double value = asked == null ? given(fallback) : asked;
        if (!(value >= least && value <= most)) {
            throw Problem.field("limits.cpu", "out of range", least + " to " + most + " cores");
        }
        return value;
    }

    private long shm(@Nullable Long asked, @Nullable Long fallback, long memory) {
        if (asked == null) {
            return Math.min(given(fallback), memory);
        }
        long value = number("limits.shmBytes", asked, null, Limits::shmBytes);
        if (value > memory) {
            throw Problem.field("limits.shmBytes", "more than the memory limit, to which it counts", "at most " + Amounts.ofField("limits.shmBytes", memory));
        }
        return value;
    }

    private long number(String field, @Nullable Long asked, @Nullable Long fallback, Function<Limits, @Nullable Long> of) {
        long least = given(of.apply(bounds.least()));
        long most = given(of.apply(bounds.most()));
        long value = asked == null ? given(fallback) : asked;
        if (value < least || value > most) {
            throw Problem.field(field, "out of range", Amounts.ofField(field, least, most));
        }
        return value;
    }

    private static <T> T given(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("a limit without a default or bound");
        }
        return value;
    }

    /// The part that a tier enforces, of limits that are all filled in.
    static InstanceLimits enforced(Limits l) {
        return new InstanceLimits(
                given(l.cpu()), given(l.memoryBytes()), given(l.pids()), given(l.openFiles()), given(l.shmBytes()), l.ioBytesPerSecond());
    }

    static long disk(Limits l) {
        return given(l.diskBytes());
    }

    static long lifetimeOf(Limits l) {
        return given(l.lifetimeMs());
    }

    static long idleOf(Limits l) {
        return given(l.idleMs());
    }

    static Map<String, Object> facts(Limits l) {
        var facts = new LinkedHashMap<String, Object>();
        facts.put("cpu", given(l.cpu()));
        facts.put("memoryBytes", given(l.memoryBytes()));
        facts.put("diskBytes", given(l.diskBytes()));
        facts.put("pids", given(l.pids()));
        facts.put("openFiles", given(l.openFiles()));
        facts.put("shmBytes", given(l.shmBytes()));
        if (l.ioBytesPerSecond() != null) {
            facts.put("ioBytesPerSecond", l.ioBytesPerSecond());
        }
        facts.put("lifetimeMs", given(l.lifetimeMs()));
        facts.put("idleMs", given(l.idleMs()));
        return facts;
    }
}
