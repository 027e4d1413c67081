// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;
import java.util.Map;

/// Answer of `GET /v1`.
public record ServerInfo(String version, String installation, String tier, List<Finding> findings, Map<String, Object> limits) {}
