// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.Audit;
import dev.redoma.model.wire.AuditRecord;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// Reads on where it was: a look at the newest few tells which chains have grown, and each is read from its own place, so that none is missed however
/// many come at a time.
final class AuditFollow {
    static final int FEW = 20;
    private static final int PAGE = 1000;

    private final Audit audit;
    private final Audit.Filter filter;
    private final Map<String, Long> places = new HashMap<>();

    AuditFollow(Audit audit, Audit.Filter filter) {
        this.audit = audit;
        this.filter = filter;
    }

    /// These were shown already, or are not to be.
    void seen(List<AuditRecord> records) {
        records.forEach(record -> places.merge(record.tenant(), record.seq(), Math::max));
    }

    /// What came since; a chain never met before is read from the first of its records that shows.
    void fresh(Consumer<AuditRecord> show) {
        var newest = audit.newest(filter, FEW);
        if (newest.size() == FEW && newest.stream().allMatch(this::isFresh)) {
            newest = audit.newest(filter, PAGE); // another chain may have grown behind these
        }
        var grown = new LinkedHashSet<String>();
        for (var record : newest) {
            if (isFresh(record)) {
                places.putIfAbsent(record.tenant(), record.seq() - 1);
                grown.add(record.tenant());
            }
        }
        grown.forEach(tenant -> readOn(tenant, show));
    }

    private boolean isFresh(AuditRecord record) {
        return record.seq() > places.getOrDefault(record.tenant(), 0L);
    }

    private void readOn(String tenant, Consumer<AuditRecord> show) {
        var chain = new Audit.Filter(tenant, filter.sandbox(), filter.category());
        List<AuditRecord> page;
        do {
            page = audit.read(chain, places.getOrDefault(tenant, 0L), PAGE);
            page.forEach(show);
            seen(page);
        } while (page.size() == PAGE);
    }
}
