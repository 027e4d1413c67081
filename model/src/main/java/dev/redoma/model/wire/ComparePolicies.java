// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// Body of `POST /v1/policies/diff`: names of policies or texts of policy files.
public record ComparePolicies(String before, String after) {}
