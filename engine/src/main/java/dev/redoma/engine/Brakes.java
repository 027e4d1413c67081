// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Ends sandboxes, in whatever state, and sets when they end. Thread-safe.
final class Brakes {
    private final Core core;
    private final Ending ending;
    private final LimitRules limits;
    private final WarmPool warm;

    Brakes(Core core, Ending ending, LimitRules limits, WarmPool warm) {
        this.core = core;
        this.ending = ending;
        this.limits = limits;
        this.warm = warm;
    }

    /// One that is just made or started gives up at its next step.
    SandboxRow kill(SandboxRow row, String actor) {
        Optional<Box> found = core.boxes().find(row.id());
        if (found.isEmpty()) {
            return core.store().read(tx -> SandboxRows.get(tx, row.id()));
        }
        Box box = found.get();
        if (row.state() == State.CREATING || row.target() == Target.START || row.target() == Target.RESET) {
            box.unwanted();
        }
        return core.background().call(() -> core.boxes().locked(box, () -> ending.kill(box, actor, core.reason("killed", null, null))));
    }

    /// Of a tenant, or of the installation.
    int killAll(String actor, @Nullable TenantId tenant, @Nullable String why) {
        warm.drain(shelf -> tenant == null || shelf.key().tenant().equals(tenant));
        List<SandboxRow> rows = core.store().read(tx -> tenant == null ? SandboxRows.notEnded(tx) : SandboxRows.notEndedOf(tx, tenant));
        pulled(actor, rows, tenant == null, why);
        List<Future<SandboxRow>> kills = rows.stream().map(row -> core.background().beside(() -> kill(row, actor))).toList();
        kills.forEach(Background::joined);
        return kills.size();
    }

    /// Before the first ends: who pulled the brake, and for how many, in the chain of each tenant that it concerns.
    private void pulled(String actor, List<SandboxRow> rows, boolean everybody, @Nullable String why) {
        core.store().write(tx -> {
            rows.stream().collect(Collectors.groupingBy(SandboxRow::tenant, Collectors.counting())).forEach((whose, count) -> core.records().brake(tx, whose, actor, count, everybody, why));
            return true;
        });
    }

    SandboxRow lifetime(Box box, String actor, Duration lifetime, ApprovalTicket ticket) {
        Duration checked = Duration.ofMillis(limits.lifetime(lifetime.toMillis()));
        SandboxRow row = core.row(box);
        PolicyTerms.of(core.policies().standing(row).stack()).lifetime(checked.toMillis());
        Instant end = core.now().plus(checked);
        RowChange change = switch (row.state()) {
            case RUNNING -> new RowChange().endsAt(end);
            case PAUSED -> new RowChange().endsAt(null).remaining(checked);
            case CREATING, STOPPED, ARCHIVED, LOST, ENDED -> throw Access.wrongState(row, "set its end");
        };
        SandboxRow now = core.store().write(tx -> {
            ticket.redeem(tx, null);
            change.apply(tx, row.id());
            core.records().sandbox(tx, row, actor, "lifetime", java.util.Map.of("lifetimeMs", checked.toMillis(), "by", ticket.approval().orElse("policy")));
            return SandboxRows.get(tx, row.id());
        });
        core.timers().watch(box, now.endsAt());
        return now;
    }
}
