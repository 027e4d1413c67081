// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// A volume (`name`: its name or id) that a new sandbox is to have at `path`. Read and write unless `readOnly`. `host`: a directory of the
/// host; always refused, with what to do instead.
public record VolumeMount(String name, String path, @Nullable Boolean readOnly, @Nullable String host) {
    /// Beside a `host` no name is missed: it is the host that is refused.
    public VolumeMount {
        name = name == null && host != null ? "" : name;
    }

    public VolumeMount(String name, String path, @Nullable Boolean readOnly) {
        this(name, path, readOnly, null);
    }
}
