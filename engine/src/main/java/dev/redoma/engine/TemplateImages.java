// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.image.ImageReference;
import dev.redoma.engine.image.ImageSources;
import dev.redoma.engine.image.ImageUnpacking;
import dev.redoma.engine.image.PullControl;
import dev.redoma.engine.image.RegistryClient;
import dev.redoma.engine.image.SourceImage;
import dev.redoma.model.Caller;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Makes template versions of images. Nothing of one that fails stays but layers that were there before. Thread-safe.
final class TemplateImages {
    private static final int PASSWD = 1 << 20;

    private final Core core;
    private final TemplateVersions versions;
    private final ImageSources sources;

    TemplateImages(Core core, TemplateVersions versions, ImageSources sources) {
        this.core = core;
        this.versions = versions;
        this.sources = sources;
    }

    /// Refuses what names no registry where there is none by default.
    void mustKnowWhere(ImageReference image) {
        sources.registries().hostOf(image);
    }

    /// From a registry, as a build: `also` is part of the commit that publishes it.
    TemplateRow pull(Caller caller, BuildRow build, ImageReference image, PullControl control, BiConsumer<Handle, TemplateRow> also) {
        try (var out = sources.way().open()) {
            var client = RegistryClient.of(out, sources.registries(), image, control);
            return made(caller, build.template(), build.tag(), client.image(),
                    Map.of("build", build.id().value(), "image", image.toString(), "registry", client.registry()), control, also);
        }
    }

    TemplateRow made(Caller caller, String name, @Nullable String tag, SourceImage image, Map<String, Object> facts, PullControl control,
            BiConsumer<Handle, TemplateRow> also) {
        try (LayerHolds.Hold hold = core.holds().open(); var stack = core.pool().stack(hold)) {
            var outcome = new ImageUnpacking(stack, control).run(image);
            var config = ImageSettings.of(image.config(), stack.read("etc/passwd", PASSWD));
            stack.complete(config.cwd() == null ? List.of() : List.of(config.cwd()));
            control.check();
            Faults.at("image.unpacked");
            control.tell("storing", 0, 0);
            var layers = stack.finish().stream().map(l -> LayerRef.template(l.value())).toList();
            Faults.at("image.layers");
            outcome.leftOut().ifPresent(words -> control.tell(words, 0, 0));
            return versions.publish(caller, name, tag, "image", layers, config, facts(image, outcome, facts), also);
        }
    }

    private static Map<String, Object> facts(SourceImage image, ImageUnpacking.Outcome outcome, Map<String, Object> more) {
        var facts = new HashMap<>(more);
        facts.put("imageDigest", image.digest().value());
        facts.put("imageLayers", outcome.layers());
        facts.put("unpackedLayers", outcome.unpacked());
        if (outcome.devices() + outcome.capabilities() + outcome.attributes() > 0) {
            facts.put("leftOut", Map.of("devices", outcome.devices(), "capabilities", outcome.capabilities(), "attributes", outcome.attributes()));
        }
        return facts;
    }
}
