// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import org.jspecify.annotations.Nullable;

/// One layer of a root file system: a template layer (by digest, uid 0 based) or the saved upper of a snapshot, with the uid its
/// files are owned from.
record LayerRef(@Nullable String layer, @Nullable String snapshot, long uidBase) {

    static LayerRef template(String digest) {
        return new LayerRef(digest, null, 0);
    }

    static LayerRef saved(String snapshot, long uidBase) {
        return new LayerRef(null, snapshot, uidBase);
    }
}
