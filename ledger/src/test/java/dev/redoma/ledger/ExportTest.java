// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Exports of a real ledger: 6 records of tenant `a`, 3 of `b`, so lines 0–5, 6–8, heads 9 and 10, end 11.
@Timeout(60)
class ExportTest {
    @TempDir static Path store;
    private static List<String> lines;
    private static List<String> onlyB;
    private static String pin;

    @TempDir Path dir;

    @BeforeAll
    static void export() throws Exception {
        try (var rig = LedgerRig.open(store)) {
            rig.fill("a", 5).fill("b", 2);
            rig.store().write(tx -> {
                rig.ledger().erase(tx, "b", "sb2");
                // Both tenants here have a sandbox of that name, which is erased in both.
                List.of("a", "b").forEach(tenant -> rig.ledger().append(tx, new Entry(tenant, "key/ky1", null, null, "admin", "erase", Map.of("sandbox", "sb2"), Map.of("why", "asked"), List.of())));
                return 1;
            });
            lines = write(rig, null);
            onlyB = write(rig, "b");
            pin = rig.ledger().publicKey();
        }
    }

    private static List<String> write(LedgerRig rig, String tenant) throws Exception {
        var file = store.resolve("export.jsonl");
        try (var out = Files.newOutputStream(file)) {
            rig.ledger().export(tenant, out);
        }
        return Files.readAllLines(file);
    }

    private Verdict verdict(List<String> edited, String key) throws Exception {
        return Ledger.verifyExport(Files.write(dir.resolve("export.jsonl"), edited), key);
    }

    private void assertBad(Consumer<List<String>> edit, long record) throws Exception {
        var edited = new ArrayList<>(lines);
        edit.accept(edited);
        var verdict = verdict(edited, pin);
        assertThat(verdict).as(verdict.message()).extracting(Verdict::status, Verdict::firstBad).containsExactly(Verdict.Status.FAILED, record);
    }

    @Test
    void anUntouchedExportIsWholeUnderThePinnedKey() throws Exception {
        assertThat(lines).hasSize(12);
        assertThat(verdict(lines, pin)).extracting(Verdict::status, Verdict::records).containsExactly(Verdict.Status.OK, 9L);
        assertThat(verdict(onlyB, pin)).extracting(Verdict::status, Verdict::records).containsExactly(Verdict.Status.OK, 3L);
        assertThat(onlyB).noneMatch(line -> line.contains("\"tenant\":\"a\""));
    }

    @Test
    void withoutAPinItIsUnanchoredAtBest() throws Exception {
        assertThat(verdict(lines, null)).extracting(Verdict::status, Verdict::records).containsExactly(Verdict.Status.UNANCHORED, 9L);
        assertThat(verdict(lines, null).message()).contains(pin);
        assertThat(verdict(lines.subList(0, 11), null).status()).isEqualTo(Verdict.Status.FAILED);
    }

    @Test
    void anotherFormattingOfTheSameJsonPasses() throws Exception {
        assertThat(verdict(lines.stream().map(line -> line.replace("\"record\":{", "\"record\" : { ")).toList(), pin).status())
                .isEqualTo(Verdict.Status.OK);
    }

    @Test
    void sealedFieldsAreOpenedAndErasedOnesAreNot() {
        assertThat(lines.get(0)).contains("echo secret 1");
        assertThat(lines.get(7)).contains("\"sealed\"").doesNotContain("echo secret", "\"key\"");
    }

    @Test
    void aChangedRecordIsNamed() throws Exception {
        assertBad(e -> e.set(3, e.get(3).replace("\"exitCode\":4", "\"exitCode\":0")), 4);
        assertBad(e -> e.set(3, e.get(3).replace("echo secret 4", "echo nothing")), 4);
        assertBad(e -> e.set(3, "garbage"), 4);
        assertBad(e -> e.set(3, e.get(3).replaceFirst("\"sealed\":\"([^\"]{20})[^\"]", "\"sealed\":\"$1!")), 4);
        assertBad(e -> e.set(3, e.get(3).replaceFirst(",\"sealed\":\"[^\"]{70,}\"", "")), 4);
    }

    @Test
    void whatIsTakenOutOfWhatRecordsSayIsCountedAndNamedUnlessARecordSaysThatItWasErased() throws Exception {
        var out = Pattern.compile(",?\"key\":\"[^\"]*\",\"opened\":\\{.*?\\}(?=,\"record\")");
        var one = new ArrayList<>(lines);
        one.set(3, out.matcher(lines.get(3)).replaceFirst(""));
        assertThat(verdict(one, pin)).extracting(Verdict::status, Verdict::tenant, Verdict::firstBad).containsExactly(Verdict.Status.UNOPENED, "a", 4L);
        var all = lines.stream().map(line -> out.matcher(line).replaceFirst("")).toList();
        assertThat(verdict(all, pin)).extracting(Verdict::status, Verdict::firstBad).containsExactly(Verdict.Status.UNOPENED, 1L);
        assertThat(verdict(all, pin).message()).contains("6 records").contains("1 of a");
        assertThat(verdict(all, null).status()).isEqualTo(Verdict.Status.UNOPENED);
        var nulls = new ArrayList<>(lines);
        nulls.set(3, out.matcher(lines.get(3)).replaceFirst(",\"key\":null,\"opened\":null"));
        assertThat(verdict(nulls, pin)).extracting(Verdict::status, Verdict::firstBad).containsExactly(Verdict.Status.UNOPENED, 4L);
    }

    @Test
    void aMissingDoubledOrMovedRecordIsNamed() throws Exception {
        assertBad(e -> e.remove(0), 1);
        assertBad(e -> e.remove(3), 4);
        assertBad(e -> e.add(4, e.get(3)), 4);
        assertBad(e -> Collections.swap(e, 2, 3), 3);
        assertBad(e -> e.add(e.get(2)), 0);
        assertBad(e -> e.add(10, e.get(2)), 10);
    }

    @Test
    void aCutTailIsNamed() throws Exception {
        assertBad(e -> e.remove(5), 6);
        assertBad(e -> e.subList(8, 9).clear(), 3);
        assertBad(e -> e.subList(6, 9).clear(), 1);
        assertBad(e -> e.subList(4, 12).clear(), 5);
        assertBad(e -> e.subList(9, 12).clear(), 7);
        assertBad(e -> e.remove(11), 0);
    }

    @Test
    void aWholeChainTakenOutWithItsHeadIsMissedAtTheEnd() throws Exception {
        assertBad(e -> {
            e.subList(6, 9).clear();
            e.remove(7);
        }, 0);
    }

    @Test
    void nothingAtAllIsNotWhole() throws Exception {
        assertThat(verdict(List.of(), pin).status()).isEqualTo(Verdict.Status.FAILED);
        assertThat(verdict(List.of("{}"), pin).status()).isEqualTo(Verdict.Status.FAILED);
    }

    @Test
    void anotherKeyDoesNotVouch() throws Exception {
        var other = SigningKey.at(dir.resolve("other.key"), true);
        assertThat(verdict(lines, other.publicKey()).status()).isEqualTo(Verdict.Status.FAILED);
        assertThat(verdict(lines, "not a key").status()).isEqualTo(Verdict.Status.FAILED);
    }

    @Test
    void aWholeForgeryOnlyPassesAsUnanchored() throws Exception {
        try (var forger = LedgerRig.open(Files.createDirectory(dir.resolve("forger")))) {
            forger.fill("a", 6).fill("b", 3);
            var forged = write(forger, null);
            assertThat(verdict(forged, pin).status()).isEqualTo(Verdict.Status.FAILED);
            assertThat(verdict(forged, null).status()).isEqualTo(Verdict.Status.UNANCHORED);
        }
    }

    @Test
    void noFlippedBitPassesUnnoticed() throws Exception {
        var random = new Random(20260103);
        byte[] whole = String.join("\n", lines).getBytes(java.nio.charset.StandardCharsets.UTF_8);
        var file = dir.resolve("flipped.jsonl");
        for (int i = 0; i < 1_500; i++) {
            byte[] flipped = whole.clone();
            int at = random.nextInt(whole.length);
            flipped[at] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, flipped);
            assertThat(Ledger.verifyExport(file, pin).status()).as("byte %d: %s", at, new String(flipped, Math.max(0, at - 60), 60)).isEqualTo(Verdict.Status.FAILED);
        }
    }

    @Test
    void aLineWithoutEndIsAnErrorAndNotAllMemory() throws Exception {
        var file = dir.resolve("long");
        try (var out = Files.newOutputStream(file)) {
            byte[] block = new byte[1 << 20];
            for (int i = 0; i < 66; i++) {
                out.write(block);
            }
        }
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> Ledger.verifyExport(file, pin)).isInstanceOf(java.io.IOException.class);
    }
}
