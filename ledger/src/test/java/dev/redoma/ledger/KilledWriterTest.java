// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.model.wire.AuditRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A process that appends from several threads and signs now and then is killed (SIGKILL) at a random moment.
@Timeout(120)
class KilledWriterTest {
    @TempDir Path dir;

    /// Prints a record's number when it was acknowledged.
    static final class Child {
        public static void main(String[] arguments) throws Exception {
            var rig = LedgerRig.open(Path.of(arguments[0]));
            try (var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < 4; i++) {
                    tasks.submit(() -> {
                        for (int n = 0; n < 100_000; n++) {
                            System.out.println(rig.append("a", n));
                            if (n % 20 == 0) {
                                rig.ledger().checkpoint();
                            }
                        }
                    });
                }
            }
        }
    }

    @Test
    void everyAcknowledgedRecordIsThereWithoutHolesHoweverOftenTheProcessIsKilled() throws Exception {
        var random = new Random(20260104);
        long before = 0;
        for (int round = 0; round < 4; round++) {
            var acknowledged = runAndKill(30 + random.nextInt(300), random.nextInt(20));
            try (var rig = LedgerRig.open(dir)) {
                assertThat(rig.ledger().verify()).satisfies(v -> assertThat(v.status()).as(v.message()).isEqualTo(Verdict.Status.OK));
                var kept = all(rig);
                assertThat(kept).isEqualTo(LongStream.rangeClosed(1, kept.size()).boxed().toList()).containsAll(acknowledged);
                assertThat(acknowledged).allMatch(new AtLeast(before)::test);
                before = kept.size();
            }
        }
    }

    private record AtLeast(long bound) {
        boolean test(long seq) {
            return seq > bound;
        }
    }

    private List<Long> runAndKill(int lines, int moreMillis) throws Exception {
        var child = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), Child.class.getName(), dir.toString())
                .redirectError(dir.resolve("stderr").toFile())
                .start();
        try (var out = child.inputReader()) {
            var acknowledged = new ArrayList<Long>();
            String line = "";
            while (acknowledged.size() < lines && (line = out.readLine()) != null) {
                acknowledged.add(Long.parseLong(line));
            }
            assertThat(line).as(Files.readString(dir.resolve("stderr"))).isNotNull();
            Thread.sleep(moreMillis);
            child.destroyForcibly();
            return acknowledged;
        } finally {
            child.destroyForcibly();
            assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static List<Long> all(LedgerRig rig) {
        var all = new ArrayList<Long>();
        List<AuditRecord> page;
        do {
            page = rig.ledger().read("a", null, null, all.size(), 1_000);
            page.forEach(record -> all.add(record.seq()));
        } while (!page.isEmpty());
        return all;
    }
}
