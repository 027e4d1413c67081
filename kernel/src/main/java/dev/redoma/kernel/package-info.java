// SPDX-License-Identifier: Apache-2.0
/// Everything asked of Linux, over the FFM API, and nothing else.
@org.jspecify.annotations.NullMarked
package dev.redoma.kernel;
