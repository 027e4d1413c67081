// SPDX-License-Identifier: Apache-2.0
/// Policy file, effective policy, decisions.
@org.jspecify.annotations.NullMarked
package dev.redoma.policy;
