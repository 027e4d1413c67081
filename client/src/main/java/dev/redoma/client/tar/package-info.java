// SPDX-License-Identifier: Apache-2.0
/// Folders as tar streams and back; names are raw bytes, links stay links, nothing leaves the tree.
@org.jspecify.annotations.NullMarked
package dev.redoma.client.tar;
