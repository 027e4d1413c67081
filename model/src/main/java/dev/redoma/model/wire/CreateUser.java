// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// Body of `POST /v1/users`.
public record CreateUser(String name, @Nullable String tenant, String role) {}
