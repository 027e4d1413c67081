// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SnapshotId;
import dev.redoma.model.TemplateReference;
import dev.redoma.model.wire.TemplateRef;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/// What a new sandbox starts from: the exact version, its layers (top first), and what it says about commands.
record Source(TemplateRef ref, List<LayerRef> layers, TemplateConfig config) {

    /// By a reference to a template version, or the id, name or digest of a snapshot of the caller's tenant.
    static Source find(Handle tx, Caller caller, String wanted) {
        return sought(tx, caller, wanted).orElseThrow(() -> missing("No template or snapshot '" + RequestRules.shown(wanted) + "'.", "See 'redoma template list' for those there are."));
    }

    /// The server's own, where a request names none.
    static Source standard(Handle tx, Caller caller, String name) {
        return sought(tx, caller, name).orElseThrow(() -> missing("The server's default template '" + name + "' is not there.",
                "Name another ('redoma template list'), or make it: 'redoma template build base' or 'redoma quickstart' makes 'base'."));
    }

    private static Optional<Source> sought(Handle tx, Caller caller, String wanted) {
        Optional<SnapshotRow> byId = SnapshotId.looksLike(wanted)
                ? SnapshotRows.find(tx, wanted).filter(s -> !s.hidden() && s.tenant().equals(caller.tenant()))
                : Optional.empty();
        if (byId.isPresent()) {
            return byId.map(Source::of);
        }
        TemplateReference reference = TemplateReference.parse("template", wanted);
        return TemplateRows.find(tx, reference).map(Source::of).or(() -> SnapshotRows.meant(tx, caller.tenant(), reference).map(Source::of));
    }

    private static RedomaException missing(String what, String remedy) {
        return Problem.of(Code.TEMPLATE_NOT_FOUND, what, remedy).with("field", "template").raise();
    }

    /// Checked in the transaction that adds a sandbox: the version that it is made from was not deleted meanwhile, and so none of its
    /// layers, which that row keeps.
    void mustStand(Handle tx) {
        boolean there = TemplateRows.ofDigest(tx, ref.digest()).isPresent()
                || SnapshotRows.ofDigest(tx, ref.digest()).filter(s -> s.target() == null).isPresent()
                || BuildRows.standsOn(tx, layers);
        if (!there) {
            throw Problem.of(Code.TEMPLATE_NOT_FOUND, "The template '" + ref.name() + "' was deleted meanwhile.", "Choose another.")
                    .with("field", "template").raise();
        }
    }

    /// The default user and directory of a sandbox made before.
    static TemplateConfig configOf(Handle tx, SandboxRow row) {
        return TemplateRows.ofDigest(tx, row.template().digest()).map(TemplateRow::config)
                .or(() -> SnapshotRows.ofDigest(tx, row.template().digest()).map(SnapshotRow::config))
                .orElse(TemplateConfig.NONE);
    }

    static Source of(SnapshotRow s) {
        if (!s.ready()) {
            throw notReady(s.id().value(), s.state());
        }
        return new Source(new TemplateRef(s.calling(), s.digest()), s.layers(), s.config());
    }

    private static Source of(TemplateRow row) {
        if (!row.state().equals("ready")) {
            throw notReady(row.name(), row.state());
        }
        return new Source(row.ref(), row.layers(), row.config());
    }

    private static dev.redoma.model.RedomaException notReady(String name, String state) {
        return Problem.of(Code.TEMPLATE_NOT_READY, "The template '" + name + "' is " + state + ".", "Wait until it is ready, or build it again.")
                .with("state", state).raise();
    }
}
