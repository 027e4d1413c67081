// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

/// Bounds on an archive, so that a small one cannot fill the host: members, bytes of content, bytes of a name, of all
/// attributes of one member, and depth of directories.
record ImportLimits(long entries, long bytes, int name, int attributes, int depth) {
    /// Most bytes of an uncompressed tar: the content, and what stands around it.
    long stream() {
        return bytes + entries * 4096;
    }

    static ImportLimits within(long free) {
        return new ImportLimits(2_000_000, free - free / 10, 4095, 16_384, 200);
    }
}
