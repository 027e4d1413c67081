// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.Template;
import dev.redoma.pool.LayerId;
import dev.redoma.pool.Pool;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/// Template versions: rows over layers of the pool. Thread-safe.
final class TemplateService implements Templates {
    private final Core core;
    private final WarmPool warm;

    TemplateService(Core core, WarmPool warm) {
        this.core = core;
        this.warm = warm;
    }

    @Override
    public List<Template> list(Caller caller) {
        caller.need(Scope.READ);
        return core.store().read(TemplateRows::all).stream().map(TemplateRows.Row::template).toList();
    }

    @Override
    public Template get(Caller caller, String template) {
        caller.need(Scope.READ);
        return core.store().read(tx -> TemplateRows.find(tx, template)).orElseThrow(() -> notFound(template)).template();
    }

    @Override
    public Template importTar(Caller caller, String name, InputStream tar, Consumer<Pool.Progress> progress) {
        caller.need(Scope.OPERATE);
        String checked = Objects.requireNonNull(RequestRules.name("name", name));
        core.store().write(tx -> {
            core.records().template(tx, caller, "template.import", Map.of("name", checked));
            return true;
        });
        LayerId layer = core.pool().importTar(tar, progress);
        var template = new Template(checked, layer.value(), "tar", "ready", core.now(), core.pool().sizeOf(layer).value(), null);
        TemplateConfig config = PasswdUser.configOf(core.pool().layerFor(layer, caller.tenant().value(), null));
        core.store().write(tx -> {
            TemplateRows.put(tx, new TemplateRows.Row(template, List.of(LayerRef.template(layer.value())), config));
            core.records().template(tx, caller, "template.ready", Map.of("name", checked, "digest", layer.value(), "sizeBytes", template.sizeBytes()));
            return true;
        });
        core.background().run("clearing warm members of an older version", warm::sweep);
        return core.store().read(tx -> TemplateRows.find(tx, checked)).orElseThrow().template();
    }

    @Override
    public void delete(Caller caller, String template) {
        caller.need(Scope.OPERATE);
        List<TemplateRows.Row> versions = core.store().write(tx -> deleteRows(tx, caller, template));
        warm.sweep();
        versions.stream().flatMap(TemplateService::layers).distinct().forEach(this::dropLayer);
    }

    private List<TemplateRows.Row> deleteRows(Handle tx, Caller caller, String template) {
        List<TemplateRows.Row> versions = TemplateRows.versions(tx, template);
        if (versions.isEmpty()) {
            throw notFound(template);
        }
        versions.stream().flatMap(TemplateService::layers).distinct().forEach(layer -> mayGo(tx, template, layer, versions.size()));
        for (TemplateRows.Row row : versions) {
            TemplateRows.delete(tx, row.template().name(), row.template().digest());
            core.records().template(tx, caller, "template.delete", Map.of("name", row.template().name(), "digest", row.template().digest()));
        }
        return versions;
    }

    /// Another name for the same version may keep it.
    private static void mayGo(Handle tx, String template, String layer, int leaving) {
        int users = TemplateRows.users(tx, layer);
        if (users > 0 && TemplateRows.versionsWith(tx, layer) <= leaving) {
            throw Problem.of(Code.TEMPLATE_IN_USE, users + " sandboxes or snapshots stand on '" + RequestRules.shown(template) + "'.", "End or delete them first.")
                    .with("inUse", users).raise();
        }
    }

    /// In a write, so that no sandbox is added to it meanwhile; interrupted, the layer is only unused space.
    private void dropLayer(String layer) {
        boolean unused = core.store().read(tx -> TemplateRows.users(tx, layer) == 0 && TemplateRows.versionsWith(tx, layer) == 0);
        if (unused) {
            core.pool().deleteLayer(new LayerId(layer));
        }
    }

    private static Stream<String> layers(TemplateRows.Row row) {
        return row.layers().stream().flatMap(l -> Stream.ofNullable(l.layer()));
    }

    private static dev.redoma.model.RedomaException notFound(String template) {
        return Problem.of(Code.TEMPLATE_NOT_FOUND, "No template '" + RequestRules.shown(template) + "'.", "See 'redoma template list' for those there are.").raise();
    }
}
