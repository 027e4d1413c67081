// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One record of the ledger. `hash` is `sha256` hex over the canonical form; `prev` that of the record before. `fields` that are sealed bodies show decrypted where the caller may read them.
public record AuditRecord(
        long seq,
        Instant at,
        String tenant,
        String actor,
        @Nullable String sandbox,
        @Nullable String exec,
        String category,
        String action,
        Map<String, Object> fields,
        String prev,
        String hash) {}
