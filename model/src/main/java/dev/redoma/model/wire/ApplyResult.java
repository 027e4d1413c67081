// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// Body of `POST …/apply/{apply}/result`: what the one who applied it says came of it, `applied` or `failed`.
public record ApplyResult(String outcome, @Nullable String message) {}
