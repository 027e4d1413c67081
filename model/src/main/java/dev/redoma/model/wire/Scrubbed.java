// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// What was taken out of a saved disk: files that were removed, or (credentials) in which something was overwritten, and their bytes.
public record Scrubbed(long files, long bytes) {}
