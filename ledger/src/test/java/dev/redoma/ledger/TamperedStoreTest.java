// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Each test is an intruder with write access to a copy of one real data directory: 12 records of tenant `a` (heads at 6 and 10,
/// records 11 and 12 not signed yet), 5 of tenant `b`.
@Timeout(60)
class TamperedStoreTest {
    @TempDir static Path original;
    @TempDir Path dir;

    @BeforeAll
    static void fill() {
        try (var rig = LedgerRig.open(original)) {
            rig.fill("a", 6).fill("b", 5);
            rig.ledger().checkpoint();
            for (int i = 7; i <= 10; i++) {
                rig.append("a", i);
            }
            rig.ledger().checkpoint();
            rig.append("a", 11);
            rig.append("a", 12);
        }
    }

    private Verdict verdictAfter(Consumer<LedgerRig> intrusion) {
        LedgerRig.copy(original, dir);
        try (var rig = LedgerRig.open(dir)) {
            assertThat(rig.ledger().verify()).extracting(Verdict::status, Verdict::records).containsExactly(Verdict.Status.OK, 17L);
            intrusion.accept(rig);
            return rig.ledger().verify();
        }
    }

    private static void assertBad(Verdict verdict, String tenant, long record) {
        assertThat(verdict).as(verdict.message())
                .extracting(Verdict::status, Verdict::tenant, Verdict::firstBad)
                .containsExactly(Verdict.Status.FAILED, tenant, record);
    }

    /// Whoever wants nobody to read what was run has only to take the key away: the chain covers ciphertext. Only a record of erasing vouches for that.
    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "DELETE FROM body_key WHERE sandbox = 'sb2'; 2",
        "UPDATE body_key SET wrapped = NULL, erased_at = 1 WHERE sandbox = 'sb1'; 1",
        "UPDATE body_key SET wrapped = (SELECT wrapped FROM body_key WHERE sandbox = 'sb0') WHERE sandbox = 'sb2'; 2",
        "UPDATE body_key SET wrapped = x'00' WHERE sandbox = 'sb0'; 3",
    })
    void aKeyThatWasTakenAwayIsNoticed(String sql, long first) {
        var verdict = verdictAfter(rig -> rig.tamper(sql));
        assertThat(verdict).as(verdict.message()).extracting(Verdict::status, Verdict::tenant, Verdict::firstBad).containsExactly(Verdict.Status.UNOPENED, "a", first);
        assertThat(verdict.message()).contains("is not shown, and no record says that it was erased");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "UPDATE record SET body = replace(body, '\"exitCode\":4', '\"exitCode\":0') WHERE tenant = 'a' AND seq = 4; 4",
        "UPDATE record SET body = body || ' ' WHERE tenant = 'a' AND seq = 12; 12",
        "UPDATE record SET body = 'nonsense' WHERE tenant = 'a' AND seq = 3; 3",
        "UPDATE record SET hash = zeroblob(32) WHERE tenant = 'a' AND seq = 5; 5",
        "UPDATE record SET prev = zeroblob(32) WHERE tenant = 'a' AND seq = 5; 5",
        "UPDATE record SET sealed = zeroblob(60) WHERE tenant = 'a' AND seq = 9; 9",
        "UPDATE record SET sealed = NULL WHERE tenant = 'a' AND seq = 9; 9",
        "UPDATE record SET category = 'file' WHERE tenant = 'a' AND seq = 2; 2",
        "UPDATE record SET action = 'started' WHERE tenant = 'a' AND seq = 2; 2",
        "UPDATE record SET sandbox = 'sb9' WHERE tenant = 'a' AND seq = 2; 2",
        "UPDATE record SET exec = NULL WHERE tenant = 'a' AND seq = 2; 2",
        "UPDATE record SET at = at + 1 WHERE tenant = 'a' AND seq = 2; 2",
        "DELETE FROM record WHERE tenant = 'a' AND seq = 1; 1",
        "DELETE FROM record WHERE tenant = 'a' AND seq = 7; 7",
        "DELETE FROM record WHERE tenant = 'a' AND seq >= 9; 9",
        "DELETE FROM record WHERE tenant = 'a'; 1",
        "UPDATE record SET tenant = 'c' WHERE tenant = 'a'; 1"
    })
    void aChangedOrMissingRecordIsNamed(String sql, long record) {
        assertBad(verdictAfter(rig -> rig.tamper(sql)), "a", record);
    }

    @Test
    void recordsThatChangedPlacesAreNamed() {
        assertBad(verdictAfter(rig -> rig.store().write(tx -> {
            tx.execute("UPDATE record SET seq = 99 WHERE tenant = 'a' AND seq = 4");
            tx.execute("UPDATE record SET seq = 4 WHERE tenant = 'a' AND seq = 5");
            return tx.execute("UPDATE record SET seq = 5 WHERE tenant = 'a' AND seq = 99");
        })), "a", 4);
    }

    @Test
    void aRecordThatIsThereTwiceIsNamed() {
        assertBad(verdictAfter(rig -> rig.store().write(tx -> {
            tx.execute("UPDATE record SET seq = seq + 101 WHERE tenant = 'a' AND seq > 4");
            tx.execute("UPDATE record SET seq = seq - 100 WHERE tenant = 'a' AND seq > 100");
            return tx.execute("INSERT INTO record SELECT tenant, 5, at, sandbox, exec, category, action, body, sealed, prev, hash "
                    + "FROM record WHERE tenant = 'a' AND seq = 4");
        })), "a", 5);
    }

    @Test
    void aRecordOfAnotherTenantDoesNotPass() {
        assertBad(verdictAfter(rig -> rig.store().write(tx -> {
            tx.execute("DELETE FROM record WHERE tenant = 'a' AND seq = 3");
            return tx.execute("INSERT INTO record SELECT 'a', seq, at, sandbox, exec, category, action, body, sealed, prev, hash "
                    + "FROM record WHERE tenant = 'b' AND seq = 3");
        })), "a", 3);
    }

    @Test
    void aTailCutWithItsHeadInTheDatabaseIsFoundByTheFileOutside() {
        assertBad(verdictAfter(rig -> {
            rig.tamper("DELETE FROM record WHERE tenant = 'a' AND seq > 6");
            rig.tamper("DELETE FROM head WHERE tenant = 'a' AND seq > 6");
        }), "a", 7);
    }

    @Test
    void aWholeChainThatVanishedWithItsHeadsIsFoundByTheFileOutside() {
        assertBad(verdictAfter(rig -> {
            rig.tamper("DELETE FROM record WHERE tenant = 'b'");
            rig.tamper("DELETE FROM head WHERE tenant = 'b'");
        }), "b", 1);
    }

    @Test
    void aRecordThatWasRewrittenWithItsHashIsNamed() {
        assertBad(verdictAfter(rig -> rewrite(rig, 8, 8)), "a", 8);
    }

    @Test
    void aChainThatWasRewrittenToItsEndDoesNotLeadToTheSignedHead() {
        assertBad(verdictAfter(rig -> rewrite(rig, 8, 12)), "a", 7); // the first after the head at 6: from there nothing vouches
    }

    /// Changes the record `first` and computes all that follow from it anew, up to `last`.
    private static void rewrite(LedgerRig rig, long first, long last) {
        rig.store().write(tx -> {
            byte[] prev = null;
            for (var row : Rows.page(tx, "a", first - 1, last, 100)) {
                var body = Json.object(row.body());
                if (prev == null) {
                    body.put("actor", "somebody else");
                } else {
                    body.put("prev", Digests.hex(prev));
                }
                byte[] before = prev == null ? row.prev() : prev;
                prev = Digests.sha256(Canonical.text(body));
                tx.execute("UPDATE record SET body = ?, hash = ?, prev = ? WHERE tenant = 'a' AND seq = ?", Canonical.text(body), prev, before, row.seq());
            }
            return last;
        });
    }

    @Test
    void aForgerWhoSignsWithAKeyOfTheirOwnIsFound() {
        assertBad(verdictAfter(rig -> {
            rewrite(rig, 1, 12);
            var forger = SigningKey.at(dir.resolve("forger.key"), true);
            var heads = rig.store().read(tx -> List.of(6L, 10L).stream()
                    .map(seq -> Head.sign(forger, "a", seq, Digests.hex(Rows.page(tx, "a", seq - 1, seq, 1).getFirst().hash()), 1)).toList());
            try {
                Files.delete(dir.resolve("heads.log"));
                new HeadsLog(dir.resolve("heads.log")).append(heads);
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
            rig.tamper("DELETE FROM head");
            rig.store().write(tx -> {
                heads.forEach(h -> tx.execute("INSERT INTO head VALUES (?, ?, ?, ?, ?, ?)", h.tenant(), h.seq(), h.hash(), h.at(), h.key(), h.signature()));
                return 1;
            });
        }), "a", 10);
    }

    @Test
    void theSignatureOfAVeryOldHeadCounts(@TempDir Path many) throws Exception {
        try (var rig = LedgerRig.open(many)) {
            for (int i = 1; i <= 1_050; i++) {
                rig.append("a", i);
                rig.ledger().checkpoint();
            }
            assertThat(rig.ledger().verify().status()).isEqualTo(Verdict.Status.OK);
            var old = rig.store().read(tx -> Checkpoints.heads(tx, "WHERE seq IN (3, 4) ORDER BY seq"));
            // In the database and in the file outside it alike.
            rig.tamper("UPDATE head SET signature = '" + old.getLast().signature() + "' WHERE seq = 3");
            var file = many.resolve("heads.log");
            Files.writeString(file, Files.readString(file).replace(old.getFirst().signature(), old.getLast().signature()));
            assertBad(rig.ledger().verify(), "a", 3);
        }
    }

    @Test
    void aHeadThatTheFileOutsideLacksIsNamed() {
        assertThat(verdictAfter(rig -> {
            try {
                Files.writeString(dir.resolve("heads.log"), "");
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        })).satisfies(v -> assertThat(v.status()).isEqualTo(Verdict.Status.FAILED)).extracting(Verdict::message).asString().contains("heads.log");
    }

    @Test
    void aHeadWhoseHashWasChangedIsFound() {
        assertThat(verdictAfter(rig -> rig.tamper("UPDATE head SET hash = replace(hash, 'a', 'b') WHERE tenant = 'a' AND seq = 6")).status())
                .isEqualTo(Verdict.Status.FAILED);
    }

    /// Down in the file itself: no byte of a record's text or ciphertext can flip unnoticed.
    @Test
    void anyFlippedByteOfARecordInTheFileIsFound() throws Exception {
        var needles = List.of("\"exitCode\":4", "\"actor\":\"key/ky1\"", "\"prev\":\"");
        for (var needle : needles) {
            var copy = Files.createDirectory(dir.resolve("flip" + needles.indexOf(needle)));
            LedgerRig.copy(original, copy);
            flip(copy.resolve("redoma.db"), needle);
            try (var rig = LedgerRig.open(copy)) {
                assertThat(rig.ledger().verify().status()).as(needle).isEqualTo(Verdict.Status.FAILED);
            }
        }
    }

    private static void flip(Path file, String needle) throws Exception {
        int at = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).indexOf(needle);
        assertThat(at).as(needle).isPositive();
        try (var raw = new RandomAccessFile(file.toFile(), "rw")) {
            raw.seek(at + needle.length() - 2);
            int b = raw.read();
            raw.seek(at + needle.length() - 2);
            raw.write(b ^ 1);
        }
    }

    @Test
    void aRestoredOlderDatabaseIsFoundByTheFileOutside() throws Exception {
        try (var rig = LedgerRig.open(LedgerRig.copy(original, dir))) {
            rig.append("a", 13);
            rig.ledger().checkpoint();
        }
        Files.copy(original.resolve("redoma.db"), dir.resolve("redoma.db"), StandardCopyOption.REPLACE_EXISTING);
        try (var rig = LedgerRig.open(dir)) {
            assertBad(rig.ledger().verify(), "a", 13);
        }
    }
}
