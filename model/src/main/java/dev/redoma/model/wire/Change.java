// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One entry of a change set against the template. `kind`: `added changed deleted mode`; `type` as in FileInfo; `flags` name what acts by itself when a human opens the result.
public record Change(
        String path,
        String kind,
        String type,
        @Nullable Long sizeBefore,
        @Nullable Long sizeAfter,
        @Nullable String target,
        List<String> flags) {}
