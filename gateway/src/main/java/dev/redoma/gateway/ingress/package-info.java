// SPDX-License-Identifier: Apache-2.0
/// The router: requests from outside to what listens in sandboxes.
@org.jspecify.annotations.NullMarked
package dev.redoma.gateway.ingress;
