// SPDX-License-Identifier: Apache-2.0
/// What is in a saved disk, by class: read, scrubbed and told without ever trusting the tree.
@org.jspecify.annotations.NullMarked
package dev.redoma.pool.contents;
