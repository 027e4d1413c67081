// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import dev.redoma.pool.ImageLayer;
import dev.redoma.pool.LayerStack;
import dev.redoma.pool.Pool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Puts the layers of an image into the pool, those that are not there yet.
public final class ImageUnpacking {
    private final LayerStack stack;
    private final PullControl control;
    private final Pool pool;

    public ImageUnpacking(LayerStack stack, PullControl control, Pool pool) {
        this.stack = stack;
        this.control = control;
        this.pool = pool;
    }

    /// How much of it was new.
    public record Outcome(int layers, int unpacked, int devices, int capabilities, int attributes) {
        /// A word about what was left out of those unpacked.
        public Optional<String> leftOut() {
            return devices + capabilities + attributes == 0 ? Optional.empty()
                    : Optional.of("left out: " + devices + " device nodes, " + capabilities + " file capabilities (or parts of them), " + attributes + " other attributes");
        }
    }

    public Outcome run(SourceImage image) {
        var layers = new ArrayList<ImageLayer>();
        for (var layer : image.layers()) {
            layers.add(ImageLayer.on(layers.isEmpty() ? null : layers.getLast(), layer.diffId().value()));
        }
        try (var ahead = new LayersAhead(image.layers(), i -> !stack.has(layers.get(i)), control, pool.root(), pool.space().freeBytes() / 4)) {
            return run(image.layers(), layers, ahead);
        }
    }

    private Outcome run(List<SourceImage.SourceLayer> sources, List<ImageLayer> layers, LayersAhead ahead) {
        int unpacked = 0;
        int devices = 0;
        int capabilities = 0;
        int attributes = 0;
        for (int i = 0; i < layers.size(); i++) {
            control.check();
            var source = sources.get(i);
            var what = "layer " + (i + 1) + " of " + layers.size();
            if (stack.take(layers.get(i))) {
                ahead.done(i);
                control.tell(what + " is there", source.size(), source.size());
                continue;
            }
            control.tell(what, 0, source.size());
            var content = unpack(layers.get(i), source, what, ahead, i);
            ahead.done(i);
            unpacked++;
            devices += content.devices();
            capabilities += content.capabilities();
            attributes += content.attributes();
        }
        return new Outcome(layers.size(), unpacked, devices, capabilities, attributes);
    }

    private LayerStack.Content unpack(ImageLayer layer, SourceImage.SourceLayer source, String what, LayersAhead ahead, int number) {
        try (var in = new Told(ahead.open(number), source.size(), what)) {
            return stack.unpack(layer, in, p -> {});
        } catch (IOException e) {
            throw Refusal.image(what + " cannot be read", e);
        }
    }

    /// Says how far it is.
    private final class Told extends java.io.FilterInputStream {
        private static final long EVERY = 1 << 18;
        private final String what;
        private final long size;
        private long done;
        private long told;

        Told(java.io.InputStream in, long size, String what) {
            super(in);
            this.what = what;
            this.size = size;
        }

        @Override
        public int read(byte[] into, int at, int length) throws IOException {
            int n = in.read(into, at, length);
            done += Math.max(0, n);
            if (done - told >= EVERY || n < 0 && told != done) {
                told = done;
                control.check();
                control.tell(what, done, size);
            }
            return n;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }
    }
}
