// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.Idempotency.Key;
import dev.redoma.engine.Idempotency.Outcome;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Layer;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.CreateSandbox;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Creates sandboxes: from the warm pool where it can, else from nothing; by name, the one that holds it where that is asked.
final class GetOrCreate {
    private static final int RACES = 5;

    private final Core core;
    private final Planner planner;
    private final Claim claim;
    private final Creation creation;
    private final WarmPool warm;
    private final Pausing pausing;
    private final Starting starting;
    private final Workspaces workspaces;

    GetOrCreate(Core core, Planner planner, Claim claim, Creation creation, WarmPool warm, Pausing pausing, Starting starting, Workspaces workspaces) {
        this.workspaces = workspaces;
        this.core = core;
        this.planner = planner;
        this.claim = claim;
        this.creation = creation;
        this.warm = warm;
        this.pausing = pausing;
        this.starting = starting;
    }

    Outcome create(Caller caller, CreateSandbox request, @Nullable Key key) {
        boolean byName = Boolean.TRUE.equals(request.getOrCreate());
        Plan plan;
        try {
            plan = planner.create(caller, request);
        } catch (RedomaException without) {
            Optional<SandboxRow> holder = byName && request.template() == null && without.problem().layer() == Layer.TEMPLATE ? usable(caller, request, String.valueOf(request.name())) : Optional.empty();
            return new Outcome(holder.orElseThrow(() -> without), true);
        }
        if (!byName || plan.name() == null) {
            return new Outcome(make(caller, plan, key), false);
        }
        return named(caller, request, plan, plan.name(), key);
    }

    /// Who holds the name, ready for use.
    private Optional<SandboxRow> usable(Caller caller, CreateSandbox request, String name) {
        Optional<SandboxRow> holder = core.store().read(tx -> SandboxRows.named(tx, caller.tenant(), name)).filter(r -> r.state() != State.ENDED);
        return holder.flatMap(workspaces::settled).flatMap(row -> takenUp(caller, request, row));
    }

    /// Two that race for a name: the one that comes second finds what the first made.
    private Outcome named(Caller caller, CreateSandbox request, Plan plan, String name, @Nullable Key key) {
        for (int race = 0; ; race++) {
            Optional<SandboxRow> usable = usable(caller, request, name);
            if (usable.isPresent()) {
                return new Outcome(usable.get(), true);
            }
            try {
                return new Outcome(make(caller, plan, key), false);
            } catch (RedomaException taken) {
                if (taken.code() != Code.NAME_TAKEN || race == RACES) {
                    throw taken;
                }
            }
        }
    }

    SandboxRow make(Caller caller, Plan plan, @Nullable Key key) {
        SandboxRow row = claim.claim(caller, plan, key).orElseGet(() -> creation.cold(caller, plan, key));
        warm.used(caller.tenant(), plan);
        return workspaces.filled(caller, row);
    }

    /// The holder of the name, running; empty where it is gone for good and the name is free now.
    private Optional<SandboxRow> takenUp(Caller caller, CreateSandbox request, SandboxRow seen) {
        sameTemplate(request, seen);
        return core.boxes().find(seen.id()).flatMap(box -> core.boxes().locked(box, () -> {
            SandboxRow row = core.row(box);
            if (row.state() == State.ENDED) {
                return Optional.<SandboxRow>empty();
            }
            Access.notQuarantined(caller, row);
            Access.mayReopen(caller, row);
            return switch (row.state()) {
                case RUNNING -> Optional.of(row);
                case PAUSED -> Optional.of(pausing.resume(box, caller.key()));
                case STOPPED -> Optional.of(starting.start(box, caller.key()));
                case LOST -> nameless(row, caller);
                case CREATING, ARCHIVED, ENDED -> throw Access.wrongState(row, "take it up");
            };
        }));
    }

    private Optional<SandboxRow> nameless(SandboxRow row, Caller caller) {
        core.write(row, new RowChange().nameless(), caller.key(), "name.given-up");
        core.log().add(row.id(), "lost; its name '" + row.name() + "' went to a new sandbox");
        return Optional.empty();
    }

    private static void sameTemplate(CreateSandbox request, SandboxRow row) {
        String asked = request.template();
        if (asked != null && !asked.equals(row.template().name()) && !asked.equals(row.template().digest())) {
            throw Problem.of(Code.NAME_TAKEN, "The sandbox '" + row.name() + "' was made from the template '" + row.template().name() + "'.",
                            "Choose another name, or leave the template out.")
                    .with("field", "template").raise();
        }
    }
}
