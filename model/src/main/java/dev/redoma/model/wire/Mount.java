// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// A volume that a sandbox has. `cache`: the tool whose cache this is a private copy of.
public record Mount(String volume, String name, String path, boolean readOnly, @Nullable String cache) {}
