// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Bytes;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.VolumeId;
import dev.redoma.model.wire.Cache;
import dev.redoma.model.wire.Mount;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A cache is a volume that no sandbox has. Promoting makes a new one and then drops the one before: whoever copies meanwhile copies a whole one.
final class CacheService implements Caches {
    private final Core core;
    private final VolumeEffects effects;

    CacheService(Core core, VolumeEffects effects) {
        this.core = core;
        this.effects = effects;
    }

    @Override
    public List<Cache> list(Caller caller) {
        caller.need(Scope.READ);
        return core.store().read(VolumeRows::all).stream()
                .filter(v -> v.kind() == VolumeRow.Kind.CACHE && v.usable() && Access.sees(caller, v.tenant())).map(this::view).toList();
    }

    private Cache view(VolumeRow v) {
        return new Cache(v.id().value(), v.name(), String.valueOf(v.template()), v.tenant().value(), v.sizeBytes(), effects.used(v.id()), v.createdAt(), v.createdBy());
    }

    @Override
    public Cache promote(Caller caller, String sandbox, String name) {
        caller.need(Scope.OPERATE);
        var tool = CacheTools.of("name", name);
        SandboxRow seen = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        Box box = core.boxes().find(seen.id()).orElseThrow(() -> Access.ended(seen));
        return core.background().call(() -> core.boxes().locked(box, () -> effects.alone(() -> promoted(caller, box, tool))));
    }

    private Cache promoted(Caller caller, Box box, CacheTools tool) {
        SandboxRow from = core.row(box);
        if (!from.state().holdsInstance() && from.state() != State.STOPPED) {
            throw Access.wrongState(from, "promote its cache");
        }
        Mount mount = from.mounts().stream().filter(m -> tool.wire().equals(m.cache())).findFirst().orElseThrow(() -> Problem.of(Code.VOLUME_NOT_FOUND,
                "The sandbox has no cache '" + tool.wire() + "'.", "Make it with caches: [" + tool.wire() + "].").raise());
        VolumeRow copy = core.store().read(tx -> VolumeRows.find(tx, new VolumeId(mount.volume()))).orElseThrow();
        var fresh = new VolumeRow(VolumeId.mint(), from.tenant(), tool.wire(), VolumeRow.Kind.CACHE, "creating", VolumeRow.CREATE, copy.sizeBytes(), false, copy.uid(),
                copy.gid(), Map.of(), from.template().name(), null, core.now(), caller.key());
        core.store().write(tx -> {
            VolumeRows.insert(tx, fresh);
            core.records().volume(tx, fresh, caller.key(), "cache.promote", Map.of("sandbox", from.id().value(), "from", copy.id().value(), "template", from.template().name()));
            return true;
        });
        List<VolumeRow> before = core.store().read(tx -> VolumeRows.caches(tx, from.tenant(), from.template().name(), tool.wire()));
        VolumeRow made = effects.copied(fresh, caller.key(), () -> frozen(box, from, () -> core.pool().volumes().copy(copy.id(), fresh.id(), new Bytes(fresh.sizeBytes()))));
        before.forEach(old -> drop(old, caller.key()));
        return view(made);
    }

    /// As at one instant.
    private static void frozen(Box box, SandboxRow from, Runnable work) {
        if (from.state() != State.RUNNING) {
            work.run();
            return;
        }
        LiveBox live = Pausing.live(box, from);
        live.instance().freeze();
        try {
            work.run();
        } finally {
            live.instance().thaw();
        }
    }

    private void drop(VolumeRow cache, String actor) {
        core.store().write(tx -> {
            VolumeRows.begin(tx, cache.id(), VolumeRow.DELETE);
            core.records().volume(tx, cache, actor, "delete");
            return true;
        });
        effects.deleted(cache, actor);
    }

    @Override
    public int clear(Caller caller, @Nullable String template, @Nullable String name) {
        caller.need(Scope.CREATE);
        return core.background().call(() -> effects.alone(() -> {
            List<VolumeRow> all = core.store().read(VolumeRows::all).stream()
                    .filter(v -> v.kind() == VolumeRow.Kind.CACHE && v.usable() && v.tenant().equals(caller.tenant()))
                    .filter(v -> template == null || template.equals(v.template())).filter(v -> name == null || name.equals(v.name())).toList();
            all.forEach(v -> drop(v, caller.key()));
            return all.size();
        }));
    }
}
