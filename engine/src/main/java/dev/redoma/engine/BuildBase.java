// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.image.ImageReference;
import dev.redoma.engine.image.PullControl;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SnapshotId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Finds what a build stands on: a template version, a snapshot (whose saved disks become layers like others), or an image, which is
/// pulled. Whichever it is, its layers are in the build's row when this returns. One thread.
final class BuildBase {
    private final Core core;
    private final TemplateImages images;
    private final BuildOrder order;

    /// Layers, top first, and what they say about commands.
    record Base(List<LayerRef> layers, TemplateConfig config) {}

    BuildBase(Core core, TemplateImages images, BuildOrder order) {
        this.core = core;
        this.images = images;
        this.order = order;
    }

    Base find(String wanted) {
        Optional<Source> known = known(wanted);
        if (known.isEmpty()) {
            return pulled(wanted);
        }
        Source source = known.get();
        order.log().say("      " + source.ref().name() + " " + source.ref().digest());
        record(Map.of("base", source.ref().name(), "baseDigest", source.ref().digest()));
        return new Base(layers(source.layers()), source.config());
    }

    private Optional<Source> known(String wanted) {
        try {
            return Optional.of(core.store().write(tx -> {
                Source found = Source.find(tx, order.caller(), wanted);
                BuildRows.layers(tx, order.id(), found.layers(), 0);
                return found;
            }));
        } catch (RedomaException e) {
            if (e.code() != Code.TEMPLATE_NOT_FOUND && e.code() != Code.INVALID_FIELD) {
                throw e;
            }
            return Optional.empty();
        }
    }

    // --- snapshots

    /// Saved disks as layers that count from uid 0; what was one before stays.
    private List<LayerRef> layers(List<LayerRef> some) {
        var now = new ArrayList<>(some);
        for (int i = 0; i < now.size(); i++) {
            String saved = now.get(i).snapshot();
            if (saved != null) {
                layer(now, i, saved);
            }
        }
        // Two saved disks with the same in them, mostly nothing, are one layer: where it is first.
        List<LayerRef> all = now.stream().distinct().toList();
        if (all.size() < now.size()) {
            stands(all);
        }
        return all;
    }

    private void stands(List<LayerRef> on) {
        core.store().write(tx -> {
            BuildRows.layers(tx, order.id(), on, 0);
            return true;
        });
    }

    private void layer(List<LayerRef> now, int at, String saved) {
        String key = StepKey.saved(saved);
        boolean there = core.store().write(tx -> {
            Optional<String> before = BuildRows.cached(tx, key);
            before.ifPresent(layer -> {
                now.set(at, LayerRef.template(layer));
                BuildRows.used(tx, key, core.now());
                BuildRows.layers(tx, order.id(), now, 0);
            });
            return before.isPresent();
        });
        if (there) {
            return;
        }
        order.log().say("      a layer of the saved disk " + saved);
        try (LayerHolds.Hold hold = core.holds().open()) {
            String made = core.pool().layerOf(new SnapshotId(saved), hold).value();
            Faults.at("build.saved");
            now.set(at, LayerRef.template(made));
            core.store().write(tx -> {
                BuildRows.made(tx, key, made, core.now());
                BuildRows.layers(tx, order.id(), now, 0);
                return true;
            });
        }
    }

    // --- images

    private Base pulled(String wanted) {
        ImageReference image = reference(wanted);
        var control = new PullControl(new PullWords(order.log(), "      "));
        order.breakOff(control::cancel);
        order.log().say("      no template or snapshot is called so: pulling the image");
        try (LayerHolds.Hold hold = core.holds().open()) {
            TemplateImages.Made made = images.pull(image, order.login(), control, hold);
            stands(made.layers());
            order.log().say("      " + made.facts().get("registry") + " " + made.facts().get("imageDigest"));
            record(made.facts());
            return new Base(made.layers(), made.config());
        } finally {
            order.breakOff(() -> {});
        }
    }

    /// What can only mean a version or a snapshot of this server is never asked for elsewhere.
    private ImageReference reference(String wanted) {
        if (wanted.startsWith("sha256:") || wanted.matches("sn[a-z0-9]{18}")) {
            throw BuildState.refused("FROM: there is no version and no snapshot '" + RequestRules.shown(wanted) + "'");
        }
        try {
            var image = ImageReference.parse(wanted);
            images.mustKnowWhere(image);
            return image;
        } catch (RedomaException e) {
            throw BuildState.refused("FROM takes a template, a snapshot or an image; no template or snapshot is called '" + RequestRules.shown(wanted)
                    + "', and as an image: " + RequestRules.shown(e.problem().message().replaceFirst("^image: ", "").replaceFirst("\\.$", "")));
        }
    }

    /// The exact version that it stands on is on record before a step runs.
    private void record(Map<String, Object> facts) {
        core.store().write(tx -> {
            core.records().build(tx, order.row(), order.caller().key(), "build.from", new HashMap<>(facts));
            return true;
        });
    }
}
