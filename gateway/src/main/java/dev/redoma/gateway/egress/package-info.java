// SPDX-License-Identifier: Apache-2.0
/// What leaves a sandbox: its names, its connections, and the record of both.
@org.jspecify.annotations.NullMarked
package dev.redoma.gateway.egress;
