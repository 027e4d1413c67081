// SPDX-License-Identifier: Apache-2.0
/// A small JSON codec over records: strict about types, lenient about unknown fields, bounded in depth.
@org.jspecify.annotations.NullMarked
package dev.redoma.client.json;
