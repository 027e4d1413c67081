// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import org.jspecify.annotations.Nullable;

/// One document or layer as another names it. `name`: the reference that an index of an archive gives it.
record Descriptor(String mediaType, Digest digest, long size, @Nullable Platform platform, @Nullable String name) {

    boolean isIndex() {
        return mediaType.equals("application/vnd.oci.image.index.v1+json") || mediaType.equals("application/vnd.docker.distribution.manifest.list.v2+json");
    }

    boolean isManifest() {
        return mediaType.equals("application/vnd.oci.image.manifest.v1+json") || mediaType.equals("application/vnd.docker.distribution.manifest.v2+json");
    }
}
