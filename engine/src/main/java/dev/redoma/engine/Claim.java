// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.Idempotency.Key;
import dev.redoma.model.Bytes;
import dev.redoma.model.Caller;
import dev.redoma.model.RedomaException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// Hands a warm member over: limits, then one commit and one word with the guest, side by side. Answers when both are through.
final class Claim {
    private final Core core;
    private final Admission admission;
    private final Creation creation;
    private final LiveSide side;
    private final Ending ending;
    private final WarmPool warm;
    private final StartCommand start;

    Claim(Core core, Admission admission, Creation creation, LiveSide side, Ending ending, WarmPool warm) {
        this.core = core;
        this.admission = admission;
        this.creation = creation;
        this.side = side;
        this.ending = ending;
        this.warm = warm;
        this.start = new StartCommand(core);
    }

    /// Empty where none waits or the one that did could not be handed over: then it has to be made.
    Optional<SandboxRow> claim(Caller caller, Plan plan, @Nullable Key key) {
        if (!warm.serves(plan)) {
            return Optional.empty();
        }
        Admission.Room room = admission.look();
        // Refused here, a member is not lost for it; decided again with the insert.
        core.store().read(tx -> {
            creation.mayBeOneMore(tx, caller, plan);
            return true;
        });
        return warm.take(caller.tenant(), plan).flatMap(member -> handOver(caller, plan, key, room, member));
    }

    private Optional<SandboxRow> handOver(Caller caller, Plan plan, @Nullable Key key, Admission.Room room, WarmPool.Member member) {
        Box box = core.boxes().box(member.live().id(), caller.tenant());
        return core.boxes().locked(box, () -> {
            SandboxRow row = creation.row(plan, caller, box.id(), member.range(), State.RUNNING, null, member.live().instance().ref(), List.of());
            LiveBox live = new LiveBox(row, plan.source().config(), member.live().instance(), member.live().guest());
            live.told(member.live().told());
            try {
                fit(live, member.live().limits(), plan);
            } catch (RuntimeException unfit) {
                return given(member, box);
            }
            Future<Boolean> told = core.background().beside(() -> {
                core.handover().claimed(live, row.id().value(), row.hostname());
                return true;
            });
            insert(caller, plan, key, room, member, row, told);
            Faults.at("claim.inserted");
            return finish(box, live, row, plan, told);
        });
    }

    private void insert(Caller caller, Plan plan, @Nullable Key key, Admission.Room room, WarmPool.Member member, SandboxRow row, Future<Boolean> told) {
        try {
            core.store().write(tx -> {
                creation.mayInsert(tx, caller, plan, room);
                core.ranges().handOver(tx, member.range(), row.id());
                creation.insertAll(tx, row, plan, key, caller.key());
                return true;
            });
        } catch (RuntimeException | Error refused) {
            told.cancel(true);
            core.boxes().forget(row.id());
            warm.discard(member);
            throw refused;
        }
    }

    private Optional<SandboxRow> finish(Box box, LiveBox live, SandboxRow row, Plan plan, Future<Boolean> told) {
        warm.handedOver(row.id());
        side.runs(box, live, row);
        try {
            Background.joined(told);
            core.uplink().claimed(core.handover(), live, row, plan);
            // Not in the member: it runs with what this sandbox was given. Templates with a start command have no members.
            start.begin(box, live, row, row.createdBy());
            return Optional.of(row);
        } catch (RedomaException silent) {
            core.log().add(row.id(), "the guest did not confirm: " + silent.getMessage());
            core.store().write(tx -> {
                Idempotency.forget(tx, row.id());
                return true;
            });
            ending.kill(box, Records.ENGINE, core.reason("crashed", null, "The guest did not confirm."));
            return Optional.empty();
        }
    }

    private Optional<SandboxRow> given(WarmPool.Member member, Box box) {
        core.boxes().forget(box.id());
        warm.discard(member);
        return Optional.empty();
    }

    /// Makes it what was asked for where that differs from what it was born with.
    private void fit(LiveBox live, InstanceLimits born, Plan plan) {
        if (!plan.enforced().equals(born)) {
            live.instance().limit(plan.enforced());
        }
        long disk = LimitRules.disk(plan.limits());
        if (disk != LimitRules.disk(core.config().bounds().defaults())) {
            core.pool().quota(live.id(), new Bytes(disk));
        }
    }
}
