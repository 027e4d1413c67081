// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A person. `role`: `viewer`, `approver`, `operator` or `admin`; `disabledAt`: since when none of this person's keys holds.
public record User(String id, String name, String tenant, String role, Instant createdAt, @Nullable Instant disabledAt) {}
