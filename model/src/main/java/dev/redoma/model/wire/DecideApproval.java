// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// Body of `POST /v1/approvals/{approval}/decision`. `verdict`: `approve` or `deny`.
public record DecideApproval(String verdict, String reason) {}
