// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.model.Problem;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A layer of an image as the image names it: `diffId` is the digest of its tar uncompressed, `chainId` that of all from the bottom up
/// to it, as the OCI image specification computes it.
public record ImageLayer(String diffId, String chainId) {
    private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");

    public ImageLayer {
        if (!DIGEST.matcher(diffId).matches() || !DIGEST.matcher(chainId).matches()) {
            throw Problem.field("diff_ids", "a layer's digest is none that is taken", "sha256: followed by 64 hex digits");
        }
    }

    /// The layer on top of another (null: the bottom).
    public static ImageLayer on(@Nullable ImageLayer below, String diffId) {
        return new ImageLayer(diffId, below == null ? diffId : sha256(below.chainId + " " + diffId));
    }

    /// Its name in the pool where its content is the same whatever lies below.
    LayerId alone() {
        return new LayerId(sha256("redoma image layer, first form\n" + diffId));
    }

    /// Its name in the pool where what lies below decided about its content.
    LayerId chained() {
        return new LayerId(sha256("redoma image layer on others, first form\n" + chainId));
    }

    private static String sha256(String text) {
        return "sha256:" + HexFormat.of().formatHex(LayerDigest.sha256().digest(text.getBytes(StandardCharsets.UTF_8)));
    }
}
