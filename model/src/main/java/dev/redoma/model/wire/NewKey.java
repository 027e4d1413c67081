// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// A key just made; `value` is shown this once.
public record NewKey(Key key, String value) {}
