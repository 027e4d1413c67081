// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.ArrayList;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SqliteStoreTest {
    @TempDir Path dir;
    private Store store;

    @BeforeEach
    void open() {
        store = SqliteStore.open(dir.resolve("redoma.db"));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static void put(Store store, String name, String value) {
        store.write(h -> h.execute("INSERT INTO installation (name, value) VALUES (?, ?)", name, value));
    }

    private long count() {
        return store.read(h -> h.createQuery("SELECT count(*) FROM installation").mapTo(Long.class).one());
    }

    @Test
    void aWriteIsSeenByTheNextRead() {
        put(store, "a", "1");
        assertThat(count()).isEqualTo(1);
    }

    /// The log keeps what was deleted until it is written anew: it has to be cut where somebody is told that it is gone.
    @Test
    void whatWasDeletedIsInNoFileOnceTheLogIsPurged() throws Exception {
        var marker = "a-word-that-is-to-be-gone";
        put(store, "gone", marker);
        var held = new CountDownLatch(1);
        var reads = new CountDownLatch(1);
        try (var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            var reader = tasks.submit(() -> store.read(h -> {
                long there = h.createQuery("SELECT count(*) FROM installation").mapTo(Long.class).one();
                reads.countDown();
                await(held);
                return there;
            }));
            reads.await();
            store.write(h -> h.execute("DELETE FROM installation WHERE name = 'gone'"));
            assertThat(store.purge()).as("while somebody reads an older state").isFalse();
            put(store, "b", "nobody who writes waits for that");
            held.countDown();
            assertThat(reader.get(30, TimeUnit.SECONDS)).isOne();
        }
        assertThat(store.purge()).isTrue();
        try (var files = java.nio.file.Files.list(dir)) {
            for (var file : files.toList()) {
                assertThat(new String(java.nio.file.Files.readAllBytes(file), java.nio.charset.StandardCharsets.ISO_8859_1)).as(file.toString()).doesNotContain(marker);
            }
        }
        put(store, "c", "1");
        assertThat(count()).isEqualTo(2);
    }

    @Test
    void whatWasWrittenIsThereAfterReopening() {
        put(store, "a", "1");
        store.close();
        store = SqliteStore.open(dir.resolve("redoma.db"));
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void aUnitThatThrowsIsUndoneAloneAndItsExceptionReachesItsCaller() {
        put(store, "a", "1");
        var mine = new IllegalArgumentException("mine");
        assertThatThrownBy(() -> store.write(h -> {
            h.execute("DELETE FROM installation");
            throw mine;
        })).isSameAs(mine);
        assertThat(count()).isEqualTo(1);
    }

    /// A batch that waits for those whom the last one answered does so on the thread of a caller, who may have been interrupted.
    @Test
    void callersOfAllKindsAreAnsweredAndAnInterruptedOneBreaksNobodysTransaction() throws Exception {
        var writes = new AtomicInteger();
        try (var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = new ArrayList<Future<?>>();
            for (int i = 0; i < 8; i++) {
                int n = i;
                running.add(tasks.submit(() -> {
                    for (int k = 0; k < 100; k++) {
                        put(store, "v" + n + "-" + k, "1");
                        writes.incrementAndGet();
                    }
                }));
            }
            for (int k = 0; k < 300; k++) {
                Thread.currentThread().interrupt();
                try {
                    put(store, "p" + k, "1");
                    writes.incrementAndGet();
                } catch (RedomaException withdrawn) {
                    assertThat(withdrawn.problem().code()).isEqualTo(Code.STOPPING);
                } finally {
                    assertThat(Thread.interrupted()).isTrue();
                }
            }
            for (var task : running) {
                task.get(30, TimeUnit.SECONDS);
            }
        }
        assertThat(count()).isEqualTo(writes.get());
    }

    @Test
    void unitsThatWaitTogetherSucceedAndFailEachForItself() throws Exception {
        var held = new CountDownLatch(1);
        var failures = new AtomicInteger();
        try (var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            tasks.submit(() -> store.write(h -> await(held)));
            for (int i = 0; i < 200; i++) {
                int n = i;
                tasks.submit(() -> {
                    try {
                        store.write(h -> {
                            h.execute("INSERT INTO installation (name, value) VALUES (?, 'x')", "n" + n);
                            if (n % 2 == 0) {
                                throw new IllegalStateException("even");
                            }
                            return n;
                        });
                    } catch (IllegalStateException expected) {
                        failures.incrementAndGet();
                    }
                });
            }
            Thread.sleep(200);
            held.countDown();
        }
        assertThat(failures).hasValue(100);
        assertThat(count()).isEqualTo(100);
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aConstraintFailureReachesItsCallerAsItIsAndTheStatementWorksAgain() {
        put(store, "a", "1");
        assertThatThrownBy(() -> put(store, "a", "2")).isInstanceOf(org.jdbi.v3.core.JdbiException.class).hasMessageContaining("UNIQUE");
        put(store, "b", "2");
        assertThat(count()).isEqualTo(2);
    }

    @Test
    void aForeignKeyIsEnforced() {
        assertThatThrownBy(() -> store.write(h -> h.execute("""
                INSERT INTO exec (id, sandbox, tenant, spec, cwd, user, state, started_by, started_at)
                VALUES ('e', 'nowhere', 't', '{}', '/', 'u', 'starting', 'k', 0)"""))).hasMessageContaining("FOREIGN KEY");
    }

    @Test
    void aReadCannotWrite() {
        assertThatThrownBy(() -> store.read(h -> h.execute("INSERT INTO installation (name, value) VALUES ('a', 'b')")))
                .isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.RECORD_FAILED));
        put(store, "a", "b");
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void aReadSeesOneStateHoweverLongItTakes() {
        put(store, "a", "1");
        long seen = store.read(h -> {
            long before = h.createQuery("SELECT count(*) FROM installation").mapTo(Long.class).one();
            writeFromElsewhere();
            return before * 10 + h.createQuery("SELECT count(*) FROM installation").mapTo(Long.class).one();
        });
        assertThat(seen).isEqualTo(11);
        assertThat(count()).isEqualTo(2);
    }

    private void writeFromElsewhere() {
        try {
            Thread.ofVirtual().start(() -> put(store, "elsewhere", "2")).join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anUnfinishedResultDoesNotSpoilTheNextUseOfItsStatement() {
        put(store, "a", "1");
        put(store, "b", "2");
        for (int i = 0; i < 3; i++) {
            String first = store.write(h -> h.createQuery("SELECT name FROM installation ORDER BY name").mapTo(String.class).findFirst().orElseThrow());
            assertThat(first).isEqualTo("a");
            store.write(h -> h.createQuery("SELECT name FROM installation ORDER BY name").mapTo(String.class).iterator().next());
        }
        put(store, "0", "0");
        assertThat(count()).isEqualTo(3);
    }

    @Test
    void whatAUnitLeavesHalfReadDoesNotHoldTheLogBack() throws Exception {
        var database = new Database(dir.resolve("redoma.db"));
        try (var session = new Session(database, false)) {
            session.execute("BEGIN IMMEDIATE");
            session.handle().execute("INSERT INTO installation VALUES ('a', 'b'), ('c', 'd')");
            session.handle().createQuery("SELECT name FROM installation").mapTo(String.class).iterator().next();
            session.handle().clean();
            session.execute("COMMIT");
            session.checkpoint();
        }
    }

    @Test
    void aTransactionInsideAUnitIsPartOfTheUnit() {
        assertThatThrownBy(() -> store.write(h -> {
            h.inTransaction(t -> t.execute("INSERT INTO installation VALUES ('a', 'b')"));
            throw new IllegalStateException("undone");
        })).hasMessage("undone");
        assertThatThrownBy(() -> store.write(org.jdbi.v3.core.Handle::commit)).isInstanceOf(IllegalStateException.class);
        put(store, "b", "1");
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void aUnitThatEndsTheTransactionCannotPassForSuccess() {
        assertThatThrownBy(() -> store.write(h -> h.execute("ROLLBACK"))).isInstanceOf(RuntimeException.class);
        put(store, "b", "1");
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void aWriteInsideAWriteIsRefusedInsteadOfHanging() {
        assertThatThrownBy(() -> store.write(h -> store.write(i -> 1))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> store.read(h -> store.read(i -> 1))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anInterruptedCallerWithdrawsWhatWasNotYetTakenUp() throws Exception {
        var held = new CountDownLatch(1);
        var holding = new CountDownLatch(1);
        var blocker = Thread.ofVirtual().start(() -> store.write(h -> {
            holding.countDown();
            return await(held);
        }));
        assertThat(await(holding)).isTrue();
        var seen = new java.util.concurrent.atomic.AtomicReference<Throwable>();
        var caller = Thread.ofVirtual().start(() -> {
            try {
                put(store, "never", "x");
            } catch (RedomaException e) {
                seen.set(e);
            }
        });
        Thread.sleep(100);
        caller.interrupt();
        caller.join();
        held.countDown();
        blocker.join();
        assertThat(seen.get()).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.STOPPING));
        assertThat(count()).isZero();
    }

    @Test
    void closedMeansRefused() {
        store.close();
        assertThatThrownBy(() -> put(store, "a", "1"))
                .isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.STOPPING));
    }

    @Test
    void theFilesAreForTheirOwnerAlone() throws Exception {
        put(store, "a", "1");
        try (var files = Files.list(dir)) {
            assertThat(files).hasSize(3).allSatisfy(f ->
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(f))).isEqualTo("rw-------"));
        }
    }

    @Test
    void aNewerSchemaIsRefusedByName() throws Exception {
        store.close();
        var file = dir.resolve("redoma.db");
        try (var c = DriverManager.getConnection("jdbc:sqlite:" + file); var s = c.createStatement()) {
            s.execute("INSERT INTO schema_version VALUES (99, 'V99__future')");
        }
        assertThatThrownBy(() -> SqliteStore.open(file)).isInstanceOf(RedomaException.class).hasMessageContaining("V99__future");
        try (var c = DriverManager.getConnection("jdbc:sqlite:" + file); var s = c.createStatement()) {
            s.execute("DELETE FROM schema_version WHERE version = 99");
        }
    }
}
