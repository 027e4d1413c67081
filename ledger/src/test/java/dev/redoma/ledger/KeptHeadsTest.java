// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.RedomaException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Somebody who has all of this host (database, `heads.log`, both keys) rewrites what happened; the heads were kept on another.
@Timeout(60)
class KeptHeadsTest {
    @TempDir Path dir;
    private LedgerRig rig;
    private final List<String> kept = new ArrayList<>();

    @BeforeEach
    void open() throws Exception {
        rig = LedgerRig.open(dir);
        for (int i = 1; i <= 20; i++) {
            rig.append("a", i);
            if (i % 5 == 0) {
                rig.append("b", i);
                rig.ledger().checkpoint();
            }
        }
        kept.addAll(rig.ledger().heads(0).lines());
        assertThat(kept).hasSize(8);
    }

    @AfterEach
    void close() {
        rig.close();
    }

    private Verdict verified() {
        assertThat(rig.ledger().verify().status()).as("nothing on this host tells").isEqualTo(Verdict.Status.OK);
        return rig.ledger().verify(KeptHeads.of(kept));
    }

    /// Everything about these records goes, and others are signed by the installation's own key.
    private void rewritten(String tenant, int from, int to) throws IOException {
        rig.tamper("DELETE FROM record WHERE tenant = '" + tenant + "' AND seq >= " + from);
        rig.tamper("DELETE FROM head WHERE tenant = '" + tenant + "' AND seq >= " + from);
        var log = dir.resolve("heads.log");
        Files.write(log, Files.readAllLines(log).stream().filter(l -> !l.contains("\"tenant\":\"" + tenant + "\"") || Integer.parseInt(l.replaceAll(".*\"seq\":(\\d+).*", "$1")) < from).toList());
        rig.close();
        rig = LedgerRig.open(dir);
        for (int i = from; i <= to; i++) {
            rig.append(tenant, 1000 + i);
        }
        rig.ledger().checkpoint();
    }

    private static void bad(Verdict verdict, String tenant, long first) {
        assertThat(verdict).as(verdict.message()).extracting(Verdict::status, Verdict::tenant, Verdict::firstBad).containsExactly(Verdict.Status.FAILED, tenant, first);
    }

    @Test
    void aWholeChainFitsThem() {
        assertThat(verified().message()).contains("24 records in 2 chains are whole, as 8 heads kept elsewhere say");
        rig.append("a", 21);
        assertThat(verified().status()).as("one not signed yet").isEqualTo(Verdict.Status.OK);
    }

    @Test
    void recordsWrittenAnewAndSignedAreFound() throws Exception {
        rewritten("a", 12, 30);
        bad(verified(), "a", 11); // since the head before that fits
    }

    @Test
    void aTailThatWasCutAndAChainThatIsGoneAreFound() throws Exception {
        rewritten("a", 13, 12);
        bad(verified(), "a", 13);
        rewritten("b", 1, 0);
        kept.removeIf(line -> line.contains("\"tenant\":\"a\""));
        bad(verified(), "b", 1);
    }

    @Test
    void anotherInstallationsHeadsVouchForNothing(@TempDir Path other) throws Exception {
        try (var stranger = LedgerRig.open(other)) {
            stranger.append("a", 1);
            stranger.ledger().checkpoint();
            kept.clear();
            kept.addAll(stranger.ledger().heads(0).lines());
        }
        assertThat(verified().message()).contains("not signed by the key");
    }

    @Test
    void anExportIsHeldAgainstThoseThatAreNotLaterThanIt() throws Exception {
        var before = export("before");
        rig.append("a", 21);
        rig.ledger().checkpoint();
        kept.clear();
        kept.addAll(rig.ledger().heads(0).lines());
        var pin = rig.ledger().publicKey();
        assertThat(Ledger.verifyExport(before, pin, KeptHeads.of(kept))).extracting(Verdict::status, Verdict::message).satisfies(v -> assertThat(v.toString()).contains("OK", "as 8 heads kept elsewhere say"));
        assertThat(Ledger.verifyExport(export("after"), pin, KeptHeads.of(kept)).message()).contains("as 9 heads");
        rewritten("a", 12, 30);
        bad(Ledger.verifyExport(export("forged"), pin, KeptHeads.of(kept)), "a", 11);
        rewritten("a", 12, 11);
        bad(Ledger.verifyExport(export("cut"), pin, KeptHeads.of(kept)), "a", 12);
    }

    private Path export(String name) throws IOException {
        try (var out = Files.newOutputStream(dir.resolve(name))) {
            rig.ledger().export(null, out);
        }
        return dir.resolve(name);
    }

    @Test
    void whatIsNoHeadIsRefusedAndTheNewestSpeakForAll() throws Exception {
        for (String line : List.of("", "nonsense", "{}", kept.getFirst().replace("\"v\":1", "\"v\":2"))) {
            assertThatThrownBy(() -> KeptHeads.of(List.of(kept.getFirst(), line))).isInstanceOf(RedomaException.class).hasMessageContaining("no signed head");
        }
        var forged = kept.getFirst().replaceAll("\"hash\":\"..", "\"hash\":\"00");
        assertThatThrownBy(() -> KeptHeads.of(List.of(kept.getFirst(), forged))).isInstanceOf(RedomaException.class).hasMessageContaining("different things of record");
        var file = Files.write(dir.resolve("kept"), kept);
        assertThat(KeptHeads.read(file).newest(1000)).containsExactlyInAnyOrderElementsOf(kept);
        assertThat(KeptHeads.read(file).newest(2)).containsExactlyInAnyOrderElementsOf(kept.subList(6, 8));
        assertThatThrownBy(() -> KeptHeads.read(Files.writeString(dir.resolve("empty"), "\n"))).hasMessageContaining("holds no signed head");
    }

    @Test
    void theyAreReadOnFromWhereOneWasAndNoiseIsLeftOut() throws Exception {
        long all = Files.size(dir.resolve("heads.log"));
        assertThat(rig.ledger().heads(0).next()).isEqualTo(all);
        assertThat(rig.ledger().heads(all).lines()).isEmpty();
        Files.writeString(dir.resolve("heads.log"), "{\"at\":17", java.nio.file.StandardOpenOption.APPEND);
        assertThat(rig.ledger().heads(all)).isEqualTo(new Ledger.HeadLines(List.of(), all));
        rig.append("a", 21);
        rig.ledger().checkpoint();
        var more = rig.ledger().heads(all);
        assertThat(more.lines()).hasSize(1).allMatch(line -> line.contains("\"seq\":21"));
        assertThat(rig.ledger().heads(1 << 30).lines()).as("of another file, from its beginning").hasSize(9);
    }
}
