// SPDX-License-Identifier: Apache-2.0
/// The database: schema and transactions; and content-addressed blobs.
@org.jspecify.annotations.NullMarked
package dev.redoma.store;
