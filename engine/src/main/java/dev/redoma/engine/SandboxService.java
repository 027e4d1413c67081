// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.Idempotency.Key;
import dev.redoma.engine.Idempotency.Outcome;
import dev.redoma.model.Caller;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.Redact;
import dev.redoma.model.wire.Redacted;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.Snapshot;
import dev.redoma.model.wire.SnapshotContents;
import dev.redoma.model.wire.Usage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The verbs of sandboxes, each authorised, run on a thread of the engine's own and under the sandbox's lock. Thread-safe.
final class SandboxService implements Sandboxes {
    private final Core core;
    private final Idempotency idempotency;
    private final GetOrCreate creates;
    private final Forks forks;
    private final Ending ending;
    private final Pausing pausing;
    private final Starting starting;
    private final SnapshotService saved;
    private final Brakes brakes;
    private final Inspection inspection;

    SandboxService(Core core, Idempotency idempotency, GetOrCreate creates, Forks forks, Ending ending, Pausing pausing, Starting starting,
            SnapshotService saved, Brakes brakes, Inspection inspection) {
        this.core = core;
        this.idempotency = idempotency;
        this.creates = creates;
        this.forks = forks;
        this.ending = ending;
        this.pausing = pausing;
        this.starting = starting;
        this.saved = saved;
        this.brakes = brakes;
        this.inspection = inspection;
    }

    @Override
    public Sandbox create(Caller caller, CreateSandbox request, @Nullable String idempotencyKey) {
        caller.need(Scope.CREATE);
        Key key = idempotency.key(caller, idempotencyKey, request);
        return made(key, () -> idempotency.once(key, () -> creates.create(caller, request, key)));
    }

    @Override
    public Sandbox fork(Caller caller, String sandbox, ForkSandbox request, @Nullable String idempotencyKey) {
        caller.need(Scope.CREATE);
        SandboxRow from = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        Access.notQuarantined(caller, from);
        Access.mayUse(caller, from);
        Box box = box(from);
        Key key = idempotency.key(caller, idempotencyKey, List.of(from.id().value(), request));
        return made(key, () -> idempotency.once(key, () -> forks.fork(caller, box, from, request, key)));
    }

    /// A caller that went away and left no key could never learn the id: what was made for it is ended.
    private Sandbox made(@Nullable Key key, java.util.concurrent.Callable<Outcome> work) {
        Outcome outcome = core.background().call(work, orphan -> {
            if (key == null && !orphan.reused()) {
                core.boxes().find(orphan.row().id()).ifPresent(box -> core.boxes().locked(box,
                        () -> ending.kill(box, Records.ENGINE, core.reason("killed", null, "The caller went away before the answer."))));
            }
        });
        return Views.of(outcome.row(), outcome.reused());
    }

    @Override
    public Sandbox get(Caller caller, String sandbox) {
        return inspection.get(caller, sandbox);
    }

    @Override
    public Page<Sandbox> list(Caller caller, Query query) {
        return inspection.list(caller, query);
    }

    @Override
    public Sandbox pause(Caller caller, String sandbox) {
        return verb(caller, sandbox, box -> pausing.pause(box, caller.key(), null));
    }

    @Override
    public Sandbox resume(Caller caller, String sandbox) {
        return reopening(caller, sandbox, box -> pausing.resume(box, caller.key()));
    }

    @Override
    public Sandbox stop(Caller caller, String sandbox) {
        return verb(caller, sandbox, box -> ending.stop(box, caller.key(), core.reason("killed", null, "Stopped by a caller.")));
    }

    @Override
    public Sandbox start(Caller caller, String sandbox) {
        return reopening(caller, sandbox, box -> starting.start(box, caller.key()));
    }

    @Override
    public Sandbox reset(Caller caller, String sandbox) {
        return reopening(caller, sandbox, box -> starting.reset(box, caller.key()));
    }

    @Override
    public Sandbox kill(Caller caller, String sandbox) {
        caller.need(Scope.CREATE);
        SandboxRow row = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        Access.notQuarantined(caller, row);
        return Views.of(brakes.kill(row, caller.key()));
    }

    @Override
    public Sandbox quarantine(Caller caller, String sandbox, @Nullable String why) {
        RequestRules.why(why);
        return verb(caller, sandbox, box -> pausing.quarantine(box, caller.key(), why));
    }

    @Override
    public int killAll(Caller caller, @Nullable String tenant, @Nullable String why) {
        caller.need(Scope.OPERATE);
        RequestRules.why(why);
        return brakes.killAll(caller.key(), tenant == null ? null : new TenantId(tenant), why);
    }

    @Override
    public Sandbox setLifetime(Caller caller, String sandbox, Duration lifetime) {
        caller.need(Scope.CREATE);
        SandboxRow row = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        Access.notQuarantined(caller, row);
        ApprovalTicket ticket = core.approvals().lifetime(caller, row, lifetime, Duration.ofMillis(LimitRules.lifetimeOf(row.limits())));
        return verb(caller, sandbox, box -> brakes.lifetime(box, caller.key(), lifetime, ticket));
    }

    @Override
    public Redacted redact(Caller caller, String sandbox, Redact more) {
        caller.need(Scope.CREATE);
        SandboxRow row = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        Access.notQuarantined(caller, row);
        Access.mayUse(caller, row);
        if (more.tokens() != null) {
            throw Problem.field("tokens", "is there", "it at create alone");
        }
        Redact checked = RedactRules.check(more);
        if (checked == null || checked.values().isEmpty()) {
            throw Problem.field("values", "is missing", "names with values to mask");
        }
        return new Redacted(core.redactions().add(row.id(), caller.key(), checked));
    }

    private Sandbox reopening(Caller caller, String sandbox, Function<Box, SandboxRow> work) {
        return verb(caller, sandbox, box -> {
            SandboxRow row = core.row(box);
            if (row.state() != State.RUNNING) {
                Access.mayReopen(caller, row);
            }
            return work.apply(box);
        });
    }

    private Sandbox verb(Caller caller, String sandbox, Function<Box, SandboxRow> work) {
        caller.need(Scope.CREATE);
        SandboxRow row = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        Box box = box(row);
        return Views.of(core.background().call(() -> core.boxes().locked(box, () -> {
            Access.notQuarantined(caller, core.row(box));
            return work.apply(box);
        })));
    }

    /// Every sandbox that has not ended has one.
    private Box box(SandboxRow row) {
        return core.boxes().find(row.id()).orElseThrow(() -> Access.ended(core.store().read(tx -> SandboxRows.get(tx, row.id()))));
    }

    @Override
    public Map<String, String> env(Caller caller, String sandbox) {
        return inspection.env(caller, sandbox);
    }

    @Override
    public Usage usage(Caller caller, String sandbox) {
        return inspection.usage(caller, sandbox);
    }

    @Override
    public List<String> systemLog(Caller caller, String sandbox) {
        return inspection.systemLog(caller, sandbox);
    }

    @Override
    public Snapshot snapshot(Caller caller, String sandbox, CreateSnapshot request) {
        caller.need(Scope.CREATE);
        SandboxRow row = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        Access.notQuarantined(caller, row);
        return saved.create(caller, box(row), request);
    }

    @Override
    public List<Snapshot> listSnapshots(Caller caller, SnapshotQuery query) {
        return saved.list(caller, query);
    }

    @Override
    public Snapshot getSnapshot(Caller caller, String snapshot) {
        return saved.get(caller, snapshot);
    }

    @Override
    public SnapshotContents snapshotContents(Caller caller, String snapshot) {
        return saved.contents(caller, snapshot);
    }

    @Override
    public Snapshot tagSnapshot(Caller caller, String snapshot, String tag) {
        return saved.tag(caller, snapshot, tag);
    }

    @Override
    public void untagSnapshot(Caller caller, String name, String tag) {
        saved.untag(caller, name, tag);
    }

    @Override
    public void deleteSnapshot(Caller caller, String snapshot) {
        saved.delete(caller, snapshot);
    }
}
