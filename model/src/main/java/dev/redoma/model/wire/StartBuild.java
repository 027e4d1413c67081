// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Body of `POST /v1/templates/{name}/builds` without files: `image` (a reference to pull), or the text of a `recipe` in the `form` `dockerfile` (default) or `recipe`. `args`: values for its `ARG`s. `tag`: a tag of the version beside `latest`, or several with commas between.
public record StartBuild(
        @Nullable String image,
        @Nullable String recipe,
        @Nullable String form,
        @Nullable Map<String, String> args,
        @Nullable String tag,
        @Nullable Boolean noCache) {}
