// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One page of a list; `next` is passed back as `cursor`, absent on the last page.
public record Page<T>(List<T> items, @Nullable String next) {}
