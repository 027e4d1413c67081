// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// One line of `doctor`: what was tried, whether it works here (`ok warn missing`), and the fix.
public record Finding(String area, String name, String status, String detail, @Nullable String fix) {}
