// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Body of `POST /v1/keys`. `user`: the person it belongs to; without one it is a program's.
public record CreateKey(String name, @Nullable String tenant, List<String> scopes, @Nullable String user) {

    public CreateKey(String name, @Nullable String tenant, List<String> scopes) {
        this(name, tenant, scopes, null);
    }
}
