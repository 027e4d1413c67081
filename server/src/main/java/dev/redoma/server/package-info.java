// SPDX-License-Identifier: Apache-2.0
/// Mains, wiring, configuration, the native API, keys and tenants.
@org.jspecify.annotations.NullMarked
package dev.redoma.server;
