// SPDX-License-Identifier: Apache-2.0
/// Adapters for foreign clients, a package each. Empty until the first one lands.
@org.jspecify.annotations.NullMarked
package dev.redoma.protocols;
