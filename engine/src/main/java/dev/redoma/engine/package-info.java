// SPDX-License-Identifier: Apache-2.0
/// Sandbox lifecycle, the guest's client, spools, warm pool, templates, limits, admission, reaper.
@org.jspecify.annotations.NullMarked
package dev.redoma.engine;
