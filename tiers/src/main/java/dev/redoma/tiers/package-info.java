// SPDX-License-Identifier: Apache-2.0
/// Implementations of the engine's Tier: OCI runtimes.
@org.jspecify.annotations.NullMarked
package dev.redoma.tiers;
