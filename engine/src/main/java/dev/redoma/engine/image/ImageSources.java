// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;

/// Where images may come from: the registries that the operator named, and the way there.
public record ImageSources(Registries registries, Outgoing.Source way) {
    /// For engines that have no way out.
    public static final ImageSources NONE = new ImageSources(Registries.NONE, () -> {
        throw Problem.of(Code.NOT_OFFERED, "This server reaches no registry.", "Import an archive of the image.").raise();
    });
}
