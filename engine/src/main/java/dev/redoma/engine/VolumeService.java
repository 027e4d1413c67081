// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Amounts;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.CreateVolume;
import dev.redoma.model.wire.Volume;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;

/// The verbs of volumes: each is a row with a target and its record, then done, then confirmed. Thread-safe.
final class VolumeService implements Volumes {
    private final Core core;
    private final Admission admission;
    private final VolumeRules rules;
    private final VolumeEffects effects;

    VolumeService(Core core, Admission admission, VolumeEffects effects) {
        this.core = core;
        this.admission = admission;
        this.rules = new VolumeRules(core.config());
        this.effects = effects;
    }

    @Override
    public Volume create(Caller caller, CreateVolume request) {
        caller.need(Scope.CREATE);
        VolumeRow row = rules.fresh(caller, request, core.now());
        return core.background().call(() -> effects.alone(() -> {
            Admission.Room room = admission.look();
            core.store().write(tx -> {
                mayInsert(tx, row, room);
                VolumeRows.insert(tx, row);
                core.records().volume(tx, row, caller.key(), "create");
                return true;
            });
            return view(effects.made(row, caller.key()));
        }));
    }

    private void mayInsert(Handle tx, VolumeRow row, Admission.Room room) {
        if (VolumeRows.named(tx, row.tenant(), row.name()).isPresent()) {
            throw Problem.of(Code.NAME_TAKEN, "A volume '" + row.name() + "' exists.", "Choose another name.").with("field", "name").raise();
        }
        core.quotas().mayKeep(tx, row.tenant(), row.sizeBytes(), 1);
        admission.promiseDisk(tx, room, row.sizeBytes());
    }

    @Override
    public List<Volume> list(Caller caller, Map<String, String> labels) {
        caller.need(Scope.READ);
        return core.store().read(VolumeRows::all).stream()
                .filter(v -> v.kind() == VolumeRow.Kind.VOLUME && Access.sees(caller, v.tenant()))
                .filter(v -> v.labels().entrySet().containsAll(labels.entrySet()))
                .map(this::view).toList();
    }

    @Override
    public Volume get(Caller caller, String volume) {
        caller.need(Scope.READ);
        return view(core.store().read(tx -> Holding.visible(tx, caller, volume)));
    }

    @Override
    public Volume resize(Caller caller, String volume, long sizeBytes) {
        rules.size(sizeBytes);
        return verb(caller, volume, row -> {
            long used = core.pool().volumes().used(row.id()).value();
            if (sizeBytes < used) {
                throw Problem.of(Code.WRONG_STATE, "The volume holds " + Amounts.size(used) + ", more than that.", "Remove files first, or choose a larger size.")
                        .with("usedBytes", used).raise();
            }
            Admission.Room room = admission.look();
            core.store().write(tx -> {
                core.quotas().mayKeep(tx, row.tenant(), sizeBytes - row.sizeBytes(), 0);
                admission.promiseDisk(tx, room, sizeBytes - row.sizeBytes());
                VolumeRows.size(tx, row.id(), sizeBytes);
                core.records().volume(tx, row, caller.key(), "resize", Map.of("sizeBytes", sizeBytes, "before", row.sizeBytes()));
                return true;
            });
            return effects.resized(row, sizeBytes, caller.key());
        });
    }

    @Override
    public void delete(Caller caller, String volume) {
        verb(caller, volume, row -> {
            core.store().write(tx -> {
                core.holding().mayDelete(tx, row);
                VolumeRows.begin(tx, row.id(), VolumeRow.DELETE);
                core.records().volume(tx, row, caller.key(), "delete");
                return true;
            });
            effects.deleted(row, caller.key());
            return row;
        });
    }

    private Volume verb(Caller caller, String volume, Function<VolumeRow, VolumeRow> work) {
        caller.need(Scope.CREATE);
        VolumeRow seen = core.store().read(tx -> Holding.visible(tx, caller, volume));
        return core.background().call(() -> effects.alone(() -> {
            VolumeRow row = core.store().read(tx -> VolumeRows.find(tx, seen.id())).filter(VolumeRow::usable).orElseThrow(() -> gone(seen));
            return view(work.apply(row));
        }));
    }

    private static RedomaException gone(VolumeRow row) {
        return Problem.of(Code.VOLUME_NOT_FOUND, "The volume '" + row.name() + "' is being made or deleted.", "See 'redoma volume list'.").raise();
    }

    private Volume view(VolumeRow row) {
        String state = VolumeRow.DELETE.equals(row.target()) ? "deleting" : row.state();
        List<Volume.Holder> holders = core.store().read(tx -> VolumeRows.had(tx, row)).stream().map(VolumeRows.Had::holder).toList();
        return new Volume(row.id().value(), row.name(), row.tenant().value(), state, row.sizeBytes(), effects.used(row.id()), row.shared(), row.owner(), row.labels(),
                row.createdAt(), row.createdBy(), holders);
    }
}
