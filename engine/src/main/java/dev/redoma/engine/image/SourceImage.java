// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/// An image that was found and can be read. `digest` names its manifest (or its configuration, in archives that have none); `layers` from
/// the bottom up.
public record SourceImage(Digest digest, ImageConfig config, List<SourceLayer> layers) {

    public SourceImage {
        if (layers.size() != config.diffIds().size()) {
            throw Refusal.image("its manifest has " + layers.size() + " layers, and its configuration " + config.diffIds().size());
        }
    }

    /// One layer: `size` as it is stored.
    record SourceLayer(Digest diffId, long size, Content content) {}

    /// The stored bytes of a layer, checked as they are read.
    interface Content {
        InputStream open() throws IOException;

        /// True if it comes from elsewhere, so that it may be fetched ahead and beside others.
        default boolean remote() {
            return false;
        }
    }
}
