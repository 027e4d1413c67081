// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import dev.redoma.pool.ImageLayer;
import dev.redoma.pool.LayerStack;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Puts the layers of an image into the pool, those that are not there yet.
public final class ImageUnpacking {
    private final LayerStack stack;
    private final PullControl control;

    public ImageUnpacking(LayerStack stack, PullControl control) {
        this.stack = stack;
        this.control = control;
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
        @Nullable ImageLayer last = null;
        int unpacked = 0;
        int devices = 0;
        int capabilities = 0;
        int attributes = 0;
        int number = 0;
        for (var layer : image.layers()) {
            control.check();
            var what = "layer " + ++number + " of " + image.layers().size();
            last = ImageLayer.on(last, layer.diffId().value());
            if (stack.take(last)) {
                control.tell(what + " is there", layer.size(), layer.size());
                continue;
            }
            control.tell(what, 0, layer.size());
            var content = unpack(last, layer, what);
            unpacked++;
            devices += content.devices();
            capabilities += content.capabilities();
            attributes += content.attributes();
        }
        return new Outcome(number, unpacked, devices, capabilities, attributes);
    }

    private LayerStack.Content unpack(ImageLayer layer, SourceImage.SourceLayer source, String what) {
        try (var in = new Told(source, what)) {
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

        Told(SourceImage.SourceLayer source, String what) throws IOException {
            super(source.content().open());
            this.what = what;
            this.size = source.size();
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
