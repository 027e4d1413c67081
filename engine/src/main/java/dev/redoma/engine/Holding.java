// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.VolumeRows.Had;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.model.VolumeId;
import dev.redoma.model.wire.Mount;
import dev.redoma.model.wire.VolumeMount;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/// Who has which volume. Nothing is written for it but the sandbox's own row: a live sandbox holds its volumes, and what ends, stops or is
/// lost has let go of them in that very change, whoever made it. Stateless but for what the files API is writing to.
final class Holding {
    private final VolumeUse use;

    Holding(VolumeUse use) {
        this.use = use;
    }

    VolumeUse use() {
        return use;
    }

    /// By id (operators: of any tenant) or by name in the caller's own tenant; volumes alone, no caches.
    static VolumeRow visible(Handle tx, Caller caller, String volume) {
        Optional<VolumeRow> row = VolumeId.looksLike(volume)
                ? find(tx, volume).filter(v -> Access.sees(caller, v.tenant()))
                : VolumeRows.named(tx, caller.tenant(), volume);
        return row.filter(v -> v.kind() == VolumeRow.Kind.VOLUME).orElseThrow(() -> Problem.of(
                        Code.VOLUME_NOT_FOUND, "No volume '" + RequestRules.shown(volume) + "'.", "See 'redoma volume list' for those there are.").raise());
    }

    private static Optional<VolumeRow> find(Handle tx, String id) {
        return id.substring(2).chars().allMatch(c -> c >= 'a' && c <= 'z' || c >= '0' && c <= '9') ? VolumeRows.find(tx, new VolumeId(id)) : Optional.empty();
    }

    /// What a request names, as the sandbox's row will have it.
    static List<Mount> named(Handle tx, Caller caller, TenantId tenant, List<VolumeMount> asked) {
        return asked.stream().map(m -> {
            VolumeRow volume = visible(tx, caller, m.name());
            if (!volume.tenant().equals(tenant)) {
                throw Problem.field("volumes", "'" + RequestRules.shown(m.name()) + "' is another tenant's", "volumes of the sandbox's own tenant");
            }
            return new Mount(volume.id().value(), volume.name(), m.path(), Boolean.TRUE.equals(m.readOnly()), null);
        }).toList();
    }

    /// In the transaction by which a sandbox becomes live: are its volumes there, and may it have them now?
    void mayHold(Handle tx, SandboxId sandbox, String policy, List<Mount> mounts) {
        for (Mount mount : mounts) {
            VolumeRow volume = VolumeRows.find(tx, new VolumeId(mount.volume())).filter(VolumeRow::usable).orElseThrow(() -> Problem.of(Code.VOLUME_NOT_FOUND,
                    "The volume '" + mount.name() + "' was deleted.", "Make the sandbox without it.").with("volume", mount.name()).raise());
            List<Had> others = VolumeRows.had(tx, volume).stream().filter(h -> h.holder().live() && !h.holder().sandbox().equals(sandbox.value())).toList();
            others.forEach(other -> beside(volume, mount, policy, other));
            if (!mount.readOnly() && !volume.shared() && use.writing(volume.id())) {
                throw held(volume, "a call to the files API").raise();
            }
        }
    }

    private static void beside(VolumeRow volume, Mount mount, String policy, Had other) {
        if (!volume.shared() && !mount.readOnly() && !other.holder().readOnly()) {
            throw inUse(volume, other);
        }
        // A socket file in a shared directory is a way from one to the other.
        if (!policy.equals(other.policy())) {
            throw Problem.of(Code.POLICY_REFUSED, "The sandbox " + other.holder().sandbox() + " has the volume '" + volume.name() + "' under another policy ("
                            + other.policy() + ").", "Give both the same policy, or stop the other one.")
                    .with("holder", other.holder().sandbox()).raise();
        }
    }

    /// The files API may write where no live sandbox does.
    void mayWrite(Handle tx, VolumeRow volume) {
        if (!volume.shared()) {
            VolumeRows.had(tx, volume).stream().filter(h -> h.holder().live() && !h.holder().readOnly()).findFirst().ifPresent(h -> {
                throw inUse(volume, h);
            });
        }
    }

    /// No sandbox has it, live or not, and nothing is being read or written.
    void mayDelete(Handle tx, VolumeRow volume) {
        VolumeRows.had(tx, volume).stream().findFirst().ifPresent(h -> {
            throw inUse(volume, h);
        });
        if (use.any(volume.id())) {
            throw held(volume, "a call to the files API").raise();
        }
    }

    private static RedomaException inUse(VolumeRow volume, Had by) {
        var holder = by.holder();
        return held(volume, "the sandbox " + holder.sandbox() + (holder.name() == null ? "" : " ('" + holder.name() + "')") + ", which is " + holder.state())
                .with("holder", holder.sandbox()).with("state", holder.state()).raise();
    }

    private static Problem held(VolumeRow volume, String by) {
        return Problem.of(Code.VOLUME_IN_USE, "The volume '" + volume.name() + "' is held by " + by + ".",
                "End or stop that first, take it read-only, or make the volume with shared: true.").with("volume", volume.name());
    }
}
