// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// A volume (`name`: its name or id) that a new sandbox is to have at `path`. Read and write unless `readOnly`.
public record VolumeMount(String name, String path, @Nullable Boolean readOnly) {}
