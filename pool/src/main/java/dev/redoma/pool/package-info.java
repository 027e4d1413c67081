// SPDX-License-Identifier: Apache-2.0
/// The file-system pool: layers, subvolumes, snapshots, safe paths, archives, change sets.
@org.jspecify.annotations.NullMarked
package dev.redoma.pool;
