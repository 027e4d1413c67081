// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Body of `POST /v1/keys`.
public record CreateKey(String name, @Nullable String tenant, List<String> scopes) {}
