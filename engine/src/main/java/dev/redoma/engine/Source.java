// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SnapshotId;
import dev.redoma.model.wire.TemplateRef;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/// What a new sandbox starts from: the exact version, its layers (top first), and what it says about commands.
record Source(TemplateRef ref, List<LayerRef> layers, TemplateConfig config) {

    /// By the id or name of a snapshot of the caller's tenant, or the name or digest of a template.
    static Source find(Handle tx, Caller caller, String wanted) {
        Optional<Source> snapshot = SnapshotId.looksLike(wanted)
                ? SnapshotRows.find(tx, wanted).filter(s -> !s.hidden() && s.tenant().equals(caller.tenant())).map(Source::of)
                : Optional.empty();
        return snapshot
                .or(() -> TemplateRows.find(tx, wanted).map(Source::of))
                .or(() -> SnapshotRows.named(tx, caller.tenant(), wanted).map(Source::of))
                .orElseThrow(() -> Problem.of(Code.TEMPLATE_NOT_FOUND, "No template or snapshot '" + RequestRules.shown(wanted) + "'.",
                                "See 'redoma template list' for those there are.")
                        .with("field", "template").raise());
    }

    /// Checked in the transaction that adds a sandbox: nothing that it stands on was deleted meanwhile.
    void mustStand(Handle tx) {
        for (LayerRef l : layers) {
            boolean there = l.snapshot() != null
                    ? SnapshotRows.find(tx, l.snapshot()).filter(s -> s.target() == null).isPresent()
                    : l.layer() != null && (TemplateRows.versionsWith(tx, l.layer()) > 0 || TemplateRows.users(tx, l.layer()) > 0);
            if (!there) {
                throw Problem.of(Code.TEMPLATE_NOT_FOUND, "The template '" + ref.name() + "' was deleted meanwhile.", "Choose another.")
                        .with("field", "template").raise();
            }
        }
    }

    /// The default user and directory of a sandbox made before.
    static TemplateConfig configOf(Handle tx, SandboxRow row) {
        return TemplateRows.find(tx, row.template().digest()).map(TemplateRows.Row::config)
                .or(() -> SnapshotRows.ofDigest(tx, row.template().digest()).map(SnapshotRow::config))
                .orElse(TemplateConfig.NONE);
    }

    static Source of(SnapshotRow s) {
        if (!s.ready()) {
            throw notReady(s.id().value(), s.state());
        }
        return new Source(new TemplateRef(s.name() == null ? s.id().value() : s.name(), s.digest()), s.layers(), s.config());
    }

    private static Source of(TemplateRows.Row row) {
        if (!row.template().state().equals("ready")) {
            throw notReady(row.template().name(), row.template().state());
        }
        return new Source(new TemplateRef(row.template().name(), row.template().digest()), row.layers(), row.config());
    }

    private static dev.redoma.model.RedomaException notReady(String name, String state) {
        return Problem.of(Code.TEMPLATE_NOT_READY, "The template '" + name + "' is " + state + ".", "Wait until it is ready, or build it again.")
                .with("state", state).raise();
    }
}
