// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.image.ImageArchive;
import dev.redoma.engine.image.PullControl;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.TemplateReference;
import dev.redoma.model.wire.Template;
import dev.redoma.pool.IncomingTar;
import dev.redoma.pool.Pool;
import dev.redoma.pool.TarFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// Template versions: rows over layers of the pool, and the tags that point at them. Thread-safe.
final class TemplateService implements Templates {
    private final Core core;
    private final WarmPool warm;
    private final TemplateVersions versions;
    private final TemplateImages images;
    private final LayerCollector collector;
    private final TemplateViews views;

    TemplateService(Core core, WarmPool warm, TemplateVersions versions, TemplateImages images, LayerCollector collector) {
        this.core = core;
        this.warm = warm;
        this.versions = versions;
        this.images = images;
        this.collector = collector;
        this.views = new TemplateViews(core.pool());
    }

    @Override
    public List<Template> list(Caller caller) {
        caller.need(Scope.READ);
        return core.store().read(tx -> {
            var uses = TemplateUses.all(tx, caller);
            return TemplateRows.all(tx).stream().map(row -> views.of(tx, row, TemplateUses.of(uses, row.digest()))).toList();
        });
    }

    @Override
    public Template get(Caller caller, String template) {
        caller.need(Scope.READ);
        TemplateReference wanted = TemplateReference.parse("template", template);
        return core.store().read(tx -> {
            TemplateRow row = TemplateRows.find(tx, wanted).orElseThrow(() -> notFound(template));
            return views.of(tx, row, TemplateUses.of(TemplateUses.all(tx, caller), row.digest()));
        });
    }

    @Override
    public Template importTar(Caller caller, String name, InputStream tar, Consumer<Pool.Progress> progress) {
        caller.need(Scope.OPERATE);
        Names names = Names.of(name);
        core.store().write(tx -> {
            core.records().template(tx, caller, "template.import", Map.of("name", name));
            return true;
        });
        TemplateImages.Published made = imported(caller, names, tar, progress);
        return get(caller, made.row().name() + "@" + made.row().digest()).without(made.leftOut());
    }

    /// An archive of an image is told by what is in it, and all else is a root file system.
    private TemplateImages.Published imported(Caller caller, Names names, InputStream tar, Consumer<Pool.Progress> progress) {
        try {
            var incoming = IncomingTar.of(tar);
            if (!incoming.mayBeImage()) {
                return rootFileSystem(caller, names, incoming.stream(), progress);
            }
            try (var file = incoming.spool(core.pool().root(), core.pool().space().freeBytes() / 2)) {
                var image = ImageArchive.find(TarFiles.of(file));
                return image.isPresent()
                        ? images.made(caller, names.name(), names.tag(), image.get(), Map.of(), new PullControl(progress), (tx, row) -> {})
                        : rootFileSystem(caller, names, Channels.newInputStream(file.position(0)), progress);
            }
        } catch (IOException e) {
            throw Problem.of(Code.ARCHIVE_REFUSED, "the archive is refused: " + RequestRules.shown(String.valueOf(e.getMessage())), "Make the archive anew.").raise(e);
        }
    }

    private TemplateImages.Published rootFileSystem(Caller caller, Names names, InputStream tar, Consumer<Pool.Progress> progress) {
        try (LayerHolds.Hold hold = core.holds().open()) {
            Pool.Imported made = core.pool().importTar(tar, progress, hold);
            Faults.at("template.imported");
            TemplateConfig config = PasswdUser.configOf(core.pool().layerFor(made.layer(), caller.tenant().value(), null));
            var leftOut = TemplateImages.leftOut(made.devices(), made.capabilities(), made.attributes());
            Map<String, Object> facts = leftOut == null ? Map.of() : Map.of("leftOut", TemplateImages.facts(leftOut));
            return new TemplateImages.Published(
                    versions.publish(caller, names.name(), names.tag(), "tar", List.of(LayerRef.template(made.layer().value())), config, facts), leftOut);
        }
    }

    /// What a new version is called: a name, and with `name:tag` a tag beside.
    private record Names(String name, @org.jspecify.annotations.Nullable String tag) {
        static Names of(String text) {
            TemplateReference wanted = TemplateReference.parse("name", text);
            if (wanted.name() == null || wanted.digest() != null) {
                throw Problem.field("name", "a digest comes of itself", "name or name:tag");
            }
            RequestRules.template("name", wanted.name());
            return new Names(wanted.name(), wanted.tag());
        }
    }

    @Override
    public Template tag(Caller caller, String name, String tag, String version) {
        caller.need(Scope.OPERATE);
        TemplateReference.tag("tag", tag);
        TemplateReference wanted = TemplateReference.parse("version", version);
        TemplateRow row = core.store().write(tx -> {
            TemplateRow found = TemplateRows.find(tx, wanted.name() == null ? new TemplateReference(name, null, wanted.digest()) : wanted)
                    .filter(r -> r.name().equals(name)).orElseThrow(() -> notFound(name + " (" + version + ")"));
            TemplateTags.move(tx, name, tag, found.digest(), core.now());
            core.records().template(tx, caller, "template.tag", Map.of("name", name, "tag", tag, "digest", found.digest()));
            return found;
        });
        core.background().run("clearing warm members of an older version", warm::sweep);
        return get(caller, name + "@" + row.digest());
    }

    @Override
    public void untag(Caller caller, String name, String tag) {
        caller.need(Scope.OPERATE);
        core.store().write(tx -> {
            String digest = TemplateTags.digest(tx, name, tag).orElseThrow(() -> notFound(name + ":" + tag));
            TemplateTags.remove(tx, name, tag);
            core.records().template(tx, caller, "template.untag", Map.of("name", name, "tag", tag, "digest", digest));
            return true;
        });
    }

    @Override
    public void delete(Caller caller, String template) {
        caller.need(Scope.OPERATE);
        TemplateReference wanted = TemplateReference.parse("template", template);
        var deletion = new TemplateDeletion(core, caller);
        List<TemplateRow> gone = core.store().write(tx -> {
            List<TemplateRow> rows = deletion.run(tx, wanted).orElseThrow(() -> notFound(template));
            rows.stream().flatMap(TemplateRow::poolLayers).forEach(layer -> BuildRows.forgetWithoutVersion(tx, layer));
            return rows;
        });
        warm.sweep();
        collector.collect(gone.stream().flatMap(TemplateRow::poolLayers).toList());
    }

    private static RedomaException notFound(String template) {
        return Problem.of(Code.TEMPLATE_NOT_FOUND, "No template '" + RequestRules.shown(template) + "'.", "See 'redoma template list' for those there are.").raise();
    }
}
