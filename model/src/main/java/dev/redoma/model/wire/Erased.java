// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// Answer of `POST /v1/audit/erase`: what records say of this sandbox in sealed fields, the words and the output of its commands cannot be read any more.
public record Erased(String sandbox, String tenant, long commands) {}
