// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.image.ImageReference;
import dev.redoma.engine.image.ImageSources;
import dev.redoma.engine.image.ImageUnpacking;
import dev.redoma.engine.image.PullControl;
import dev.redoma.engine.image.RegistryClient;
import dev.redoma.engine.image.SourceImage;
import dev.redoma.model.Caller;
import dev.redoma.model.RegistryLogin;
import dev.redoma.model.wire.LeftOut;
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
    TemplateRow pull(Caller caller, BuildRow build, ImageReference image, @Nullable RegistryLogin login, PullControl control, BiConsumer<Handle, TemplateRow> also) {
        try (var out = sources.way().open()) {
            var client = RegistryClient.of(out, sources.registries(), image, control, login);
            return made(caller, build.template(), build.tag(), client.image(),
                    Map.of("build", build.id().value(), "image", image.toString(), "registry", client.registry()), control, also).row();
        }
    }

    /// A new version, and what of its source is not in it.
    record Published(TemplateRow row, @Nullable LeftOut leftOut) {}

    Published made(Caller caller, String name, @Nullable String tag, SourceImage image, Map<String, Object> facts, PullControl control,
            BiConsumer<Handle, TemplateRow> also) {
        try (LayerHolds.Hold hold = core.holds().open()) {
            var made = unpacked(image, control, hold);
            var out = made.outcome();
            return new Published(versions.publish(caller, name, tag, "image", made.layers(), made.config(), facts(image, out, facts), also),
                    leftOut(out.devices(), out.capabilities(), out.attributes()));
        }
    }

    /// What an image came to, as something to build on; `facts` say where it is from.
    record Made(List<LayerRef> layers, TemplateConfig config, ImageUnpacking.Outcome outcome, Map<String, Object> facts) {}

    /// An image of a registry, for a build that stands on it; `hold` keeps its layers until the build's row does.
    Made pull(ImageReference image, @Nullable RegistryLogin login, PullControl control, LayerHolds.Hold hold) {
        try (var out = sources.way().open()) {
            var client = RegistryClient.of(out, sources.registries(), image, control, login);
            var source = client.image();
            var made = unpacked(source, control, hold);
            return new Made(made.layers(), made.config(), made.outcome(), facts(source, made.outcome(), Map.of("image", image.toString(), "registry", client.registry())));
        }
    }

    private Made unpacked(SourceImage image, PullControl control, LayerHolds.Hold hold) {
        try (var stack = core.pool().stack(hold)) {
            var outcome = new ImageUnpacking(stack, control, core.pool()).run(image);
            var config = ImageSettings.of(image.config(), stack.read("etc/passwd", PASSWD));
            stack.complete(config.cwd() == null ? List.of() : List.of(config.cwd()));
            control.check();
            Faults.at("image.unpacked");
            control.tell("storing", 0, 0);
            var layers = stack.finish().stream().map(l -> LayerRef.template(l.value())).toList();
            Faults.at("image.layers");
            outcome.leftOut().ifPresent(words -> control.tell(words, 0, 0));
            return new Made(layers, config, outcome, Map.of());
        }
    }

    private static Map<String, Object> facts(SourceImage image, ImageUnpacking.Outcome outcome, Map<String, Object> more) {
        var facts = new HashMap<>(more);
        facts.put("imageDigest", image.digest().value());
        facts.put("imageLayers", outcome.layers());
        facts.put("unpackedLayers", outcome.unpacked());
        var leftOut = leftOut(outcome.devices(), outcome.capabilities(), outcome.attributes());
        if (leftOut != null) {
            facts.put("leftOut", facts(leftOut));
        }
        return facts;
    }

    static @Nullable LeftOut leftOut(int devices, int capabilities, int attributes) {
        return devices + capabilities + attributes == 0 ? null : new LeftOut(devices, capabilities, attributes);
    }

    static Map<String, Object> facts(LeftOut some) {
        return Map.of("devices", some.devices(), "capabilities", some.capabilities(), "attributes", some.attributes());
    }
}
