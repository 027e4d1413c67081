// SPDX-License-Identifier: Apache-2.0
/// API keys: who asks, what they may, how often.
@org.jspecify.annotations.NullMarked
package dev.redoma.server.keys;
