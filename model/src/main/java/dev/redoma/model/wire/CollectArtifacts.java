// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// Body of `POST …/artifacts`: patterns such as `reports/**` or `*.png`.
public record CollectArtifacts(List<String> patterns) {}
