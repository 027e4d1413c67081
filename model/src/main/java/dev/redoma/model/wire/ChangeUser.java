// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// Body of `PUT /v1/users/{user}/role`.
public record ChangeUser(String role) {}
