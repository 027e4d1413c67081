// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One entry of a change set. `kind`: `added changed deleted renamed mode`, or `truncated` where a bound cut what lies at `path`; `type` as in FileInfo, of what is there now
/// (of what was, where it is deleted), `typeBefore` where that was another. `path` is exact: bytes that are no UTF-8 are `\xNN`. `from`: where a renamed file was. Digests are `sha256:…` of a file's content or a
/// link's target; null where nothing was read: directories and special files, and files beyond the bounds. `flags` name what acts by itself when a human opens the result.
public record Change(
        String path,
        String kind,
        String type,
        @Nullable String typeBefore,
        @Nullable String from,
        @Nullable Long sizeBefore,
        @Nullable Long sizeAfter,
        @Nullable String modeBefore,
        @Nullable String modeAfter,
        @Nullable String digestBefore,
        @Nullable String digestAfter,
        @Nullable String target,
        List<String> flags) {

    /// A place that a bound cut.
    public static Change truncated(String path, String type) {
        return new Change(path, "truncated", type, null, null, null, null, null, null, null, null, null, List.of());
    }

    /// Its content is part of what the set's digest stands for.
    public boolean whole() {
        boolean content = type.equals("file") && !kind.equals("deleted");
        return !kind.equals("truncated") && (!content || digestAfter != null);
    }
}
