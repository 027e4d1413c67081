// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Answer of `POST /v1/audit/scan`: `clean`, or `found` and what should have been masked. `more`: findings beyond those that are listed.
public record Scanned(String status, long records, long commands, long outputs, long outputBytes, long more, List<Finding> findings) {

    /// `where`: `record` (with its `seq`), `command` (its words), `output`, `log`. Never what was found.
    public record Finding(String where, String tenant, @Nullable String sandbox, @Nullable String exec, @Nullable Long seq, String kind, String name, String form, long count) {}
}
