// SPDX-License-Identifier: Apache-2.0
/// `redoma.yaml` and `REDOMA_*`.
@org.jspecify.annotations.NullMarked
package dev.redoma.server.config;
