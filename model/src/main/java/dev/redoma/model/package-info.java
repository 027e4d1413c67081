// SPDX-License-Identifier: Apache-2.0
/// Records, ids, units and problems that every room shares.
@org.jspecify.annotations.NullMarked
package dev.redoma.model;
