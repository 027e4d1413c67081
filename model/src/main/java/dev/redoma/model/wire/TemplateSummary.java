// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a template version says about commands. Of its environment only the names; `exposedPorts` as in images: `8080/tcp`.
public record TemplateSummary(
        @Nullable String user,
        @Nullable String cwd,
        List<String> envNames,
        List<String> entrypoint,
        List<String> cmd,
        List<String> exposedPorts,
        Map<String, String> labels,
        @Nullable String stopSignal) {}
