// SPDX-License-Identifier: Apache-2.0
/// Egress and ingress. Empty until the egress gateway lands: a sandbox has loopback only.
@org.jspecify.annotations.NullMarked
package dev.redoma.gateway;
