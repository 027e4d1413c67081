// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// What is masked of a sandbox from now on, by name.
public record Redacted(List<String> names) {}
