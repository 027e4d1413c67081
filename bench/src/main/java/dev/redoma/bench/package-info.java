// SPDX-License-Identifier: Apache-2.0
/// Whole-system measurements, each beside the floor taken in the same run.
@org.jspecify.annotations.NullMarked
package dev.redoma.bench;
