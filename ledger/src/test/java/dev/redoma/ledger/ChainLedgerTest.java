// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.AuditRecord;
import dev.redoma.store.SqliteStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ChainLedgerTest {
    @TempDir Path dir;
    private LedgerRig rig;

    @BeforeEach
    void open() {
        rig = LedgerRig.open(dir);
    }

    @AfterEach
    void close() {
        rig.close();
    }

    private List<AuditRecord> all(String tenant) {
        return rig.ledger().read(tenant, null, null, 0, 1000);
    }

    @Test
    void recordsAreNumberedFromOneWithinEachTenantAndChained() {
        assertThat(rig.append("a", 1)).isEqualTo(1);
        assertThat(rig.append("b", 1)).isEqualTo(1);
        assertThat(rig.append("a", 2)).isEqualTo(2);
        var records = all("a");
        assertThat(records).extracting(AuditRecord::seq).containsExactly(1L, 2L);
        assertThat(records.get(0).prev()).isEqualTo("0".repeat(64));
        assertThat(records.get(1).prev()).isEqualTo(records.get(0).hash());
        assertThat(rig.ledger().verify()).extracting(Verdict::status, Verdict::records).containsExactly(Verdict.Status.OK, 3L);
    }

    /// What is kept of a request that holds secrets cannot be tried out without the installation's key, and is the same after a restart.
    @Test
    void aDigestIsOfOneInstallation() throws Exception {
        byte[] request = "a request with a secret".getBytes(StandardCharsets.UTF_8);
        byte[] digest = rig.ledger().digest(request);
        assertThat(digest).isNotEqualTo(java.security.MessageDigest.getInstance("SHA-256").digest(request)).isNotEqualTo(rig.ledger().digest("another".getBytes(StandardCharsets.UTF_8)));
        try (var other = LedgerRig.open(Files.createDirectory(dir.resolve("other")))) {
            assertThat(other.ledger().digest(request)).isNotEqualTo(digest);
        }
        rig.close();
        rig = LedgerRig.open(dir);
        assertThat(rig.ledger().digest(request)).isEqualTo(digest);
    }

    @Test
    void theNewestComeLastOfOneTenantAndOfAllByTime() {
        rig.fill("a", 5);
        rig.append("b", 1);
        rig.append("a", 6);
        assertThat(rig.ledger().newest("a", null, null, 3)).extracting(AuditRecord::seq).containsExactly(4L, 5L, 6L);
        assertThat(rig.ledger().newest(null, null, null, 3)).extracting(r -> r.tenant() + r.seq()).containsExactly("a5", "b1", "a6");
        assertThat(rig.ledger().newest("a", "sb0", null, 1)).extracting(AuditRecord::seq).containsExactly(6L);
        assertThat(rig.ledger().newest("nobody", null, null, 3)).isEmpty();
        assertThatThrownBy(() -> rig.ledger().newest("a", null, null, 1001)).isInstanceOf(RedomaException.class);
    }

    @Test
    void aRecordReadsBackWithOpenAndSealedFieldsAndSaysWhatTheGuestSaid() {
        rig.append("a", 7);
        var record = all("a").getFirst();
        assertThat(record).extracting(AuditRecord::actor, AuditRecord::sandbox, AuditRecord::exec, AuditRecord::category, AuditRecord::action)
                .containsExactly("key/ky1", "sb1", "ex7", "exec", "ended");
        assertThat(record.fields()).isEqualTo(Map.of("exitCode", 7L, "timedOut", false, "argv", List.of("sh", "-c", "echo secret 7"),
                "cwd", "/home/user", "fromGuest", List.of("exitCode")));
    }

    @Test
    void theHashIsThatOfTheCanonicalBody() {
        rig.append("a", 1);
        String body = rig.store().read(tx -> tx.createQuery("SELECT body FROM record").mapTo(String.class).one());
        assertThat(Canonical.text(Json.object(body))).isEqualTo(body);
        assertThat(all("a").getFirst().hash()).isEqualTo(Digests.hex(Digests.sha256(body)));
    }

    @Test
    void whatIsSealedStandsNowhereInTheDatabaseInPlain() throws Exception {
        rig.append("a", 1);
        rig.close();
        for (var file : List.of("redoma.db")) {
            assertThat(Files.readString(dir.resolve(file), StandardCharsets.ISO_8859_1)).doesNotContain("echo secret").contains("exitCode");
        }
        open();
    }

    @Test
    void aUnitThatIsUndoneLeavesNoHoleAndNoKey() {
        rig.append("a", 1);
        assertThatThrownBy(() -> rig.store().write(tx -> {
            rig.ledger().append(tx, LedgerRig.entry("a", 2));
            rig.ledger().append(tx, LedgerRig.entry("a", 3));
            throw new IllegalStateException("undone");
        })).hasMessage("undone");
        assertThat(rig.append("a", 2)).isEqualTo(2);
        assertThat(all("a").get(1).fields()).containsEntry("cwd", "/home/user");
        assertThat(rig.ledger().verify().status()).isEqualTo(Verdict.Status.OK);
    }

    /// What is remembered of a chain's end must not outlive what was undone: a unit by itself, or all that shared a commit which failed.
    @Test
    void whateverIsUndoneAmongManyWritersTheChainIsWhole() throws Exception {
        var written = new java.util.concurrent.atomic.AtomicInteger();
        var commitsFailed = new java.util.concurrent.atomic.AtomicInteger();
        try (var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 600; i++) {
                int n = i;
                tasks.submit(() -> {
                    try {
                        rig.store().write(tx -> {
                            rig.ledger().append(tx, LedgerRig.entry("t" + n % 2, n));
                            if (n % 5 == 1) {
                                throw new IllegalStateException("undone");
                            }
                            if (n % 40 == 2) { // only the commit finds out
                                tx.execute("PRAGMA defer_foreign_keys = ON");
                                tx.execute("INSERT INTO exec (id, sandbox, tenant, spec, cwd, user, state, started_by, started_at) VALUES (?, 'none', 't', '{}', '/', 'u', 'running', 'k', 0)", "ex" + n);
                            }
                            return true;
                        });
                        written.incrementAndGet();
                    } catch (dev.redoma.model.RedomaException failed) {
                        commitsFailed.incrementAndGet();
                    } catch (IllegalStateException undone) {
                        assertThat(undone).hasMessage("undone");
                    }
                    return true;
                });
            }
        }
        assertThat(commitsFailed).hasPositiveValue();
        assertThat(rig.append("t0", 1) + rig.append("t1", 1)).isEqualTo(written.get() + 2);
        assertThat(rig.ledger().verify()).extracting(Verdict::status, Verdict::records).containsExactly(Verdict.Status.OK, written.get() + 2L);
    }

    @Test
    void severalRecordsOfOneUnitAreChained() {
        rig.store().write(tx -> rig.ledger().append(tx, LedgerRig.entry("a", 1)) + rig.ledger().append(tx, LedgerRig.entry("a", 2)));
        assertThat(rig.ledger().verify()).extracting(Verdict::status, Verdict::records).containsExactly(Verdict.Status.OK, 2L);
    }

    @Test
    void manyWritersMakeOneChainWithoutHoles() throws Exception {
        try (var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 300; i++) {
                int n = i;
                tasks.submit(() -> rig.append("t" + n % 2, n));
            }
        }
        assertThat(all("t0")).extracting(AuditRecord::seq).isEqualTo(java.util.stream.LongStream.rangeClosed(1, 150).boxed().toList());
        assertThat(rig.ledger().verify()).extracting(Verdict::status, Verdict::records).containsExactly(Verdict.Status.OK, 300L);
    }

    @Test
    void readingFiltersAndPages() {
        rig.fill("a", 9);
        assertThat(rig.ledger().read("a", "sb1", null, 0, 100)).extracting(AuditRecord::seq).containsExactly(1L, 4L, 7L);
        assertThat(rig.ledger().read("a", "sb1", "exec", 1, 1)).extracting(AuditRecord::seq).containsExactly(4L);
        assertThat(rig.ledger().read("a", null, "file", 0, 100)).isEmpty();
        assertThat(rig.ledger().read(null, null, null, 0, 4)).hasSize(4);
        assertThat(rig.ledger().read("nobody", null, null, 0, 4)).isEmpty();
        assertThatThrownBy(() -> rig.ledger().read("a", null, null, 0, 0)).hasMessageContaining("limit");
    }

    @Test
    void erasingMakesSealedFieldsUnreadableForEverAndLeavesTheChainWhole() {
        rig.fill("a", 3);
        rig.store().write(tx -> {
            rig.ledger().erase(tx, "a", "sb1");
            return rig.ledger().append(tx, new Entry("a", "key/ky1", null, null, "admin", "erase", Map.of("sandbox", "sb1"), Map.of(), List.of()));
        });
        rig.append("a", 4); // sb1 again
        assertThat(rig.ledger().read("a", "sb1", null, 0, 10)).hasSize(2).allSatisfy(r ->
                assertThat(r.fields()).containsEntry("sealed", "erased").doesNotContainKey("argv"));
        assertThat(rig.ledger().read("a", "sb2", null, 0, 10)).first().satisfies(r -> assertThat(r.fields()).containsKey("argv"));
        assertThat(rig.ledger().verify().status()).isEqualTo(Verdict.Status.OK);
        long kept = rig.store().read(tx ->
                tx.createQuery("SELECT count(*) FROM body_key WHERE wrapped IS NOT NULL AND sandbox = 'sb1'").mapTo(Long.class).one());
        assertThat(kept).isZero();
    }

    @Test
    void recordsWithoutASandboxAreSealedToo() {
        rig.store().write(tx -> rig.ledger().append(tx,
                new Entry("a", "key/ky1", null, null, "admin", "key created", Map.of(), Map.of("name", "ci"), List.of())));
        assertThat(all("a").getFirst().fields()).containsEntry("name", "ci");
        assertThat(rig.ledger().verify().status()).isEqualTo(Verdict.Status.OK);
    }

    @Test
    void theKeysAreForTheirOwnerAloneAndStayTheSame() throws Exception {
        String key = rig.ledger().publicKey();
        for (var name : List.of("ledger.key", "bodies.key")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve(name)))).isEqualTo("rw-------");
        }
        rig.close();
        open();
        assertThat(rig.ledger().publicKey()).isEqualTo(key);
    }

    @Test
    void aDatabaseDoesNotOpenWithoutItsKeysOrWithOthers() throws Exception {
        rig.append("a", 1);
        rig.close();
        for (var name : List.of("ledger.key", "bodies.key")) {
            var saved = Files.move(dir.resolve(name), dir.resolve("saved"));
            assertThatThrownBy(this::open).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.HOST_FAILED))
                    .hasMessageContaining(name);
            Files.move(saved, dir.resolve(name));
        }
        var other = Files.createDirectory(dir.resolve("other"));
        LedgerRig.open(other).close();
        Files.copy(other.resolve("ledger.key"), dir.resolve("ledger.key"), java.nio.file.StandardCopyOption.REPLACE_EXISTING,
                java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        assertThatThrownBy(this::open).hasMessageContaining("written with");
        Files.delete(dir.resolve("redoma.db"));
        open();
    }

    @Test
    void aKeyThatOthersMayReadIsRefused() throws Exception {
        rig.close();
        Files.setPosixFilePermissions(dir.resolve("ledger.key"), PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(this::open).hasMessageContaining("others than its owner");
        Files.setPosixFilePermissions(dir.resolve("ledger.key"), PosixFilePermissions.fromString("rw-------"));
        open();
    }

    @Test
    void aCheckpointSignsEachChainOnceUntilItGrows() throws Exception {
        rig.append("a", 1);
        rig.append("b", 1);
        rig.ledger().checkpoint();
        rig.ledger().checkpoint();
        assertThat(Files.readAllLines(dir.resolve("heads.log"))).hasSize(2);
        rig.append("a", 2);
        rig.ledger().checkpoint();
        assertThat(Files.readAllLines(dir.resolve("heads.log"))).hasSize(3);
        assertThat(rig.ledger().verify().status()).isEqualTo(Verdict.Status.OK);
    }

    @Test
    void aHalfWrittenLineOfACrashDoesNotSpoilTheNextHead() throws Exception {
        rig.append("a", 1);
        rig.ledger().checkpoint();
        Files.writeString(dir.resolve("heads.log"), "{\"at\":17", java.nio.file.StandardOpenOption.APPEND);
        rig.append("a", 2);
        rig.ledger().checkpoint();
        assertThat(rig.ledger().verify().status()).isEqualTo(Verdict.Status.OK);
        assertThat(new HeadsLog(dir.resolve("heads.log")).read()).extracting(Head::seq).containsExactly(1L, 2L);
    }

    @Test
    void noHeadIsSignedOverAChainThatContradictsTheLastOne() {
        rig.fill("a", 3);
        rig.ledger().checkpoint();
        rig.tamper("DELETE FROM record WHERE seq = 3");
        rig.append("a", 33);
        assertThatThrownBy(() -> rig.ledger().checkpoint()).isInstanceOf(RedomaException.class).hasMessageContaining("signed head at record 3");
    }

    @Test
    void anEmptyLedgerIsWhole() throws Exception {
        rig.ledger().checkpoint();
        assertThat(rig.ledger().verify()).extracting(Verdict::status, Verdict::records).containsExactly(Verdict.Status.OK, 0L);
        var file = dir.resolve("export");
        try (var out = Files.newOutputStream(file)) {
            rig.ledger().export(null, out);
        }
        assertThat(Ledger.verifyExport(file, rig.ledger().publicKey()).status()).isEqualTo(Verdict.Status.OK);
    }
}
