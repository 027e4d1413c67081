// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Stat;
import org.jspecify.annotations.Nullable;

/// A file of a tree. `path` begins with `/`, the tree's root; `target` of a link, and only of one.
public record TreeEntry(String path, Stat stat, @Nullable String target) {}
