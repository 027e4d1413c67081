// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// What a watch saw. `kind`: `create write remove rename attrib root-removed overflow`; paths are relative to the watched root.
public record FileEvent(String kind, String path, @Nullable String from, boolean directory) {}
