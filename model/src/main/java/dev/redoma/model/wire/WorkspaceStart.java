// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// Where a workspace lies whose start was kept: an absolute path without links.
public record WorkspaceStart(String path) {}
