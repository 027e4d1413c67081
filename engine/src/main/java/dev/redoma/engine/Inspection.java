// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.Refusals;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.Usage;
import java.util.List;
import java.util.Map;

/// What can be seen of sandboxes without touching them; none of it counts as activity. Thread-safe.
final class Inspection {
    private final Core core;

    Inspection(Core core) {
        this.core = core;
    }

    Sandbox get(Caller caller, String sandbox) {
        return Views.of(visible(caller, sandbox));
    }

    Page<Sandbox> list(Caller caller, Sandboxes.Query query) {
        caller.need(Scope.READ);
        SandboxPages.Slice slice = core.store().read(tx -> SandboxPages.read(tx, caller, query));
        return new Page<>(slice.rows().stream().map(Views::of).toList(), slice.next());
    }

    Map<String, String> env(Caller caller, String sandbox) {
        caller.need(Scope.EXEC);
        SandboxRow row = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        Access.mayUse(caller, row);
        return row.env();
    }

    Usage usage(Caller caller, String sandbox) {
        SandboxRow row = visible(caller, sandbox);
        if (row.state() == State.ENDED) {
            throw Access.ended(row);
        }
        LiveBox live = core.boxes().find(row.id()).map(Box::live).orElse(null);
        long disk = core.pool().disk(row.id()).isPresent() ? core.pool().used(row.id()).value() : 0;
        InstanceLimits limits = LimitRules.enforced(row.limits());
        Usage u = live == null ? new Usage(0, 0, 0, 0, limits.memoryBytes(), 0, 0, 0, limits.pids(), 0) : live.instance().usage();
        return new Usage(u.cpuMs(), u.memoryBytes(), u.memoryCacheBytes(), u.memoryPeakBytes(), limits.memoryBytes(), disk, LimitRules.disk(row.limits()), u.pids(), limits.pids(), u.oomKills(),
                core.uplink().refused(row.id()).map(r -> new Refusals(r.names(), r.connections(), r.requests(), r.packets())).orElse(null));
    }

    List<String> systemLog(Caller caller, String sandbox) {
        caller.need(Scope.OPERATE);
        return core.log().read(visible(caller, sandbox).id());
    }

    private SandboxRow visible(Caller caller, String sandbox) {
        caller.need(Scope.READ);
        return core.store().read(tx -> Access.visible(tx, caller, sandbox));
    }
}
