// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import dev.redoma.model.wire.Limits;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What a document demands beside egress; null: nothing. `isolation` is the least tier, each of `limits` the most.
public record Terms(@Nullable String isolation, @Nullable String privileges, Limits limits, @Nullable String reopen) {
    public static final Terms NONE = new Terms(null, null, Limits.DEFAULTS, null);
    /// The weakest first.
    public static final List<String> TIERS = List.of("container", "gvisor", "microvm", "vm");
    /// The strictest first.
    public static final List<String> PRIVILEGES = List.of("none", "sudo");
    public static final List<String> REOPEN = List.of("none", "creator", "tenant");

    /// Both hold: of each the stricter.
    public Terms and(Terms other) {
        return new Terms(pick(isolation, other.isolation, TIERS.reversed()), pick(privileges, other.privileges, PRIVILEGES), and(limits, other.limits), pick(reopen, other.reopen, REOPEN));
    }

    private static @Nullable String pick(@Nullable String one, @Nullable String other, List<String> strictestFirst) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return strictestFirst.indexOf(one) <= strictestFirst.indexOf(other) ? one : other;
    }

    private static Limits and(Limits a, Limits b) {
        return new Limits(least(a, b, Limits::cpu), least(a, b, Limits::memoryBytes), least(a, b, Limits::diskBytes), least(a, b, Limits::pids), least(a, b, Limits::openFiles),
                least(a, b, Limits::shmBytes), least(a, b, Limits::ioBytesPerSecond), least(a, b, Limits::lifetimeMs), least(a, b, Limits::idleMs));
    }

    private static <T extends Comparable<T>> @Nullable T least(Limits a, Limits b, Function<Limits, @Nullable T> of) {
        T one = of.apply(a);
        T other = of.apply(b);
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.compareTo(other) <= 0 ? one : other;
    }
}
