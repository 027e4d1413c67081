// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// Where the workspace of a sandbox came from: `commit` is the id of what was checked out.
public record Workspace(String from, String path, @Nullable String commit) {}
