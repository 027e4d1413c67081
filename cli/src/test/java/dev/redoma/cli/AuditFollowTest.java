// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.client.Audit;
import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.AuditRecord;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AuditFollowTest {
    private final List<Map<String, Object>> records = new ArrayList<>();

    private void add(String tenant, int count) {
        for (int i = 0; i < count; i++) {
            var record = new HashMap<String, Object>();
            record.put("tenant", tenant);
            record.put("seq", records.stream().filter(r -> r.get("tenant").equals(tenant)).count() + 1);
            record.put("at", Instant.EPOCH.plusSeconds(records.size()).toString());
            record.put("actor", "key");
            record.put("category", "exec");
            record.put("action", "ended");
            record.put("fields", Map.of());
            record.put("hash", "00");
            record.put("prev", "00");
            records.add(record);
        }
    }

    private List<Map<String, Object>> answer(String query) {
        var asked = new HashMap<String, String>();
        Stream.of(query.split("&")).map(part -> part.split("=", 2)).forEach(part -> asked.put(part[0], part[1]));
        var matching = records.stream().filter(r -> asked.get("tenant") == null || asked.get("tenant").equals(r.get("tenant"))).toList();
        if (asked.get("newest") != null) {
            return matching.subList(Math.max(0, matching.size() - Integer.parseInt(asked.get("newest"))), matching.size());
        }
        return matching.stream().filter(r -> (long) r.get("seq") > Long.parseLong(asked.get("after"))).limit(Long.parseLong(asked.get("limit"))).toList();
    }

    @Test
    void noneIsMissedHoweverManyComeAndNoneIsShownTwice() throws IOException {
        try (var server = new FakeServer();
                var client = RedomaClient.connect(server.address(), "k")) {
            server.on("GET /v1/audit", x -> FakeServer.json(x, 200, Map.of("items", answer(x.getRequestURI().getQuery()))));
            add("a", 30);
            add("b", 2);
            var follow = new AuditFollow(client.audit(), Audit.Filter.ALL);
            follow.seen(client.audit().newest(Audit.Filter.ALL, 1000));
            var shown = new ArrayList<AuditRecord>();
            follow.fresh(shown::add);
            assertThat(shown).isEmpty();

            add("b", 1);
            add("a", 2500);
            add("c", 1);
            follow.fresh(shown::add);
            follow.fresh(shown::add);
            add("b", 1);
            follow.fresh(shown::add);
            assertThat(shown).filteredOn(r -> r.tenant().equals("a")).extracting(AuditRecord::seq).hasSize(2500).isSorted().doesNotHaveDuplicates();
            assertThat(shown).filteredOn(r -> r.tenant().equals("b")).extracting(AuditRecord::seq).containsExactly(3L, 4L);
            assertThat(shown).filteredOn(r -> r.tenant().equals("c")).extracting(AuditRecord::seq).containsExactly(1L);
        }
    }
}
