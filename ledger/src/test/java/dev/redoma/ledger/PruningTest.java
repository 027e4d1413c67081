// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is sealed goes when its time is over; the chain stays whole, and nobody else can take something away.
class PruningTest {
    @TempDir Path dir;

    private static Entry of(String category, String word) {
        return new Entry("acme", "key", "sb1", null, category, "done", Map.of("n", 1), Map.of("word", word), java.util.List.of());
    }

    private LedgerRig filled() {
        var rig = LedgerRig.open(dir);
        rig.store().write(tx -> rig.ledger().append(tx, of("exec", "old-command")));
        rig.store().write(tx -> rig.ledger().append(tx, of("file", "old-path")));
        rig.store().write(tx -> rig.ledger().append(tx, of("exec", "older-command")));
        return rig;
    }

    @Test
    void whatIsOldGoesByCategoryAndAllStaysWhole() throws Exception {
        try (var rig = filled()) {
            assertThat(rig.ledger().prune(Map.of("exec", Duration.ofHours(1)))).isZero();
            Thread.sleep(20);
            rig.ledger().checkpoint();
            assertThat(rig.ledger().prune(Map.of("exec", Duration.ofMillis(10)))).isEqualTo(2);
            assertThat(rig.ledger().prune(Map.of("exec", Duration.ofMillis(10)))).as("nothing is left").isZero();
            rig.store().write(tx -> rig.ledger().append(tx, of("exec", "new-command")));
            rig.ledger().checkpoint();
            assertThat(rig.ledger().verify().status()).as(rig.ledger().verify().message()).isEqualTo(Verdict.Status.OK);
            var records = rig.ledger().read("acme", null, null, 0, 100);
            assertThat(records.getFirst().fields()).containsEntry("sealed", "pruned").containsEntry("n", 1L).doesNotContainKey("word");
            assertThat(records.get(1).fields()).containsEntry("word", "old-path");
            assertThat(records.getLast().fields()).containsEntry("word", "new-command");
            assertThat(records).anyMatch(r -> r.action().equals("pruned") && r.fields().get("upTo").equals(3L));
            var export = dir.resolve("export.jsonl");
            try (var out = Files.newOutputStream(export)) {
                rig.ledger().export("acme", out);
            }
            assertThat(Ledger.verifyExport(export, rig.ledger().publicKey()).status()).isEqualTo(Verdict.Status.OK);
            assertThat(Files.readString(export)).contains("old-path", "new-command").doesNotContain("old-command", "older-command");
        }
    }

    @Test
    void whatIsTakenAwayWithoutARecordThatSaysSoIsNamed() throws Exception {
        try (var rig = filled()) {
            Thread.sleep(20);
            rig.ledger().prune(Map.of("exec", Duration.ofMillis(10)));
            rig.store().write(tx -> rig.ledger().append(tx, of("exec", "new-command")));
            rig.tamper("UPDATE record SET sealed = NULL WHERE seq = 5");
            assertThat(rig.ledger().verify().firstBad()).as("beyond what was said").isEqualTo(5);
            rig.tamper("UPDATE record SET sealed = NULL WHERE seq = 2");
            assertThat(rig.ledger().verify().firstBad()).as("of another category").isEqualTo(2);
        }
    }
}
