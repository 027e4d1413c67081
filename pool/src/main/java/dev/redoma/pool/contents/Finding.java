// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

/// A secret within some bytes: of which kind, and where. The value itself is never told.
record Finding(String kind, int from, int to) {}
