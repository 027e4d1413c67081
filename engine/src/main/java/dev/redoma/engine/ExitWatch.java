// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Amounts;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.StopReason;
import java.time.Duration;
import java.util.function.Predicate;

/// Notices that an instance ended without being told to, and writes down what the host saw of it. Thread-safe.
final class ExitWatch {
    private static final int LOOKS = 10;
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(30);

    private final Core core;
    private volatile Predicate<SandboxId> warmMember = id -> false;

    ExitWatch(Core core) {
        this.core = core;
    }

    /// Asked first: true if it was a warm member, which its pool then drops.
    void warmMembers(Predicate<SandboxId> dropped) {
        warmMember = dropped;
    }

    void watch(SandboxId id, Instance instance) {
        instance.onExit(() -> core.background().run("the end of an instance", () -> ended(id, instance)));
    }

    /// The kernel tells the end of an init; this looks whether it did.
    void lookAll() {
        for (Box box : core.boxes().all()) {
            LiveBox live = box.live();
            if (live != null && !live.endExpected() && !live.instance().alive()) {
                core.background().run("the end of an instance", () -> ended(box.id(), live.instance()));
            }
        }
    }

    private void ended(SandboxId id, Instance instance) {
        if (warmMember.test(id)) {
            return;
        }
        boolean intact = staysIntact(instance);
        core.boxes().find(id).ifPresent(box -> core.boxes().locked(box, () -> {
            LiveBox live = box.live();
            if (live != null && live.instance() == instance && !live.endExpected()) {
                settle(box, live, intact);
            }
            return true;
        }));
    }

    /// Whoever removes an instance from outside takes its processes first and the rest a moment later.
    private static boolean staysIntact(Instance instance) {
        for (int i = 0; i < LOOKS && instance.intact(); i++) {
            try {
                Thread.sleep(BETWEEN_LOOKS);
            } catch (InterruptedException ending) {
                Thread.currentThread().interrupt();
                return instance.intact();
            }
        }
        return instance.intact();
    }

    private void settle(Box box, LiveBox live, boolean intact) {
        SandboxRow row = core.row(box);
        StopReason reason = reason(row, live);
        core.timers().forget(box);
        boolean disk = core.pool().disk(row.id()).isPresent();
        boolean vanished = !disk || !intact;
        core.starter().end(live);
        box.live(null);
        core.execs().gone(row.id(), vanished ? "lost" : reason.kind());
        if (vanished) {
            lost(box, row, disk);
        } else {
            core.write(row, RowChange.settle(State.STOPPED).instance(null).endsAt(null).remaining(null), Records.ENGINE, "stopped", reason);
            core.log().add(row.id(), "stopped: " + reason.message());
        }
    }

    private void lost(Box box, SandboxRow row, boolean disk) {
        StopReason reason = core.reason("host", null, disk ? "The instance was removed from outside; the disk is there." : "The disk was removed from outside.");
        SandboxRow now = core.write(row, RowChange.settle(State.LOST).instance(null).remaining(null).endsAt(core.now().plus(core.config().times().lost())),
                Records.ENGINE, "lost", reason);
        core.log().add(row.id(), "lost: " + reason.message());
        core.timers().watch(box, now.endsAt());
    }

    private StopReason reason(SandboxRow row, LiveBox live) {
        return ranOutOfMemory(live)
                ? core.reason("oom", "memoryBytes", "The first process was killed at the memory limit of " + Amounts.size(LimitRules.enforced(row.limits()).memoryBytes()) + ".")
                : core.reason("crashed", null, "The first process ended by itself.");
    }

    /// Not by all that the sandbox ever lost so: a command killed for memory an hour ago says nothing of this end.
    private static boolean ranOutOfMemory(LiveBox live) {
        try {
            return live.instance().initRanOutOfMemory();
        } catch (RuntimeException gone) {
            return false;
        }
    }
}
