// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// What a new sandbox is to find in its workspace: `from` is `git:URL#REF`. `path`: where (default `workspace` in the user's home).
public record NewWorkspace(String from, @Nullable String path) {}
