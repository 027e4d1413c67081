// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.ledger.ChainLedger;
import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Verdict;
import dev.redoma.ledger.redact.Hits;
import dev.redoma.ledger.redact.Matcher;
import dev.redoma.ledger.redact.Patterns;
import dev.redoma.ledger.redact.Secret;
import dev.redoma.store.SqliteStore;
import dev.redoma.store.Store;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/// What the record costs: that of one exec and of 16 writers beside fdatasync of the same disk, verification, and redaction of a stream.
final class LedgerBench implements Bench {
    private static final int EXECS = 300;
    private static final int WRITERS = 16;
    private static final long WARMING = 4_000_000_000L;
    private static final long WRITING = 3_000_000_000L;
    private static final int VERIFIED = 100_000;
    private static final int SECRETS = 100;
    private static final int STREAM = 64 << 20;

    @Override
    public String name() {
        return "ledger";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        var dir = Files.createDirectory(rig.place().dir().resolve("ledger"));
        try (var store = SqliteStore.open(dir.resolve("bench.db"))) {
            var ledger = ChainLedger.open(store, dir);
            var sync = fdatasync(dir);
            return List.of(exec(store, ledger, sync), group(store, ledger, dir, sync), verify(store, ledger), redact("ledger.redact", SECRETS), redact("ledger.redact.tokens", 0));
        }
    }

    /// Milliseconds of one write of a page at a file's end and its fdatasync.
    private static Samples fdatasync(Path dir) throws IOException {
        var times = new double[EXECS];
        try (var file = FileChannel.open(dir.resolve("floor"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            var page = ByteBuffer.allocateDirect(4096);
            for (int i = 0; i < EXECS; i++) {
                long start = System.nanoTime();
                file.write(page.clear());
                file.force(false);
                times[i] = (System.nanoTime() - start) / 1e6;
            }
        }
        return new Samples(times);
    }

    private static Entry entry(String action, int number) {
        return new Entry("bench", "key_bench", "sb_bench", "ex_" + number, "exec", action, Map.of("state", "exited", "exitCode", 0, "outputBytes", 1234L + number),
                Map.of("argv", List.of("sh", "-c", "make -j4 check && ./scripts/publish --dry-run " + number), "cwd", "/workspace/project"), List.of());
    }

    /// Requested and approved in one commit, ended in another, as the engine does it.
    private static Figure exec(Store store, ChainLedger ledger, Samples sync) {
        var times = new double[EXECS];
        for (int i = -EXECS / 3; i < EXECS; i++) {
            int n = i;
            long start = System.nanoTime();
            store.write(tx -> {
                ledger.append(tx, entry("requested", n));
                return ledger.append(tx, entry("approved", n));
            });
            store.write(tx -> ledger.append(tx, entry("ended", n)));
            if (i >= 0) {
                times[i] = (System.nanoTime() - start) / 1e6;
            }
        }
        return new Figure("ledger.exec", "ms", new Samples(times), "one fdatasync", sync.p50(), new Bar.AtMost(4));
    }

    /// Warm, as a server is that is up for a while.
    private static Figure group(Store store, ChainLedger ledger, Path dir, Samples sync) throws Exception {
        rate(store, ledger, WARMING);
        double rate = rate(store, ledger, WRITING);
        return new Figure("ledger.group", "1/s", Samples.of(rate), "fdatasync a record", 1000 / Math.min(sync.p50(), fdatasync(dir).p50()), new Bar.AtLeast(3));
    }

    /// Records a second.
    private static double rate(Store store, ChainLedger ledger, long nanos) throws InterruptedException {
        var written = new AtomicLong();
        var writers = new ArrayList<Thread>();
        long start = System.nanoTime();
        for (int w = 0; w < WRITERS; w++) {
            writers.add(Thread.ofVirtual().start(() -> {
                while (System.nanoTime() - start < nanos) {
                    store.write(tx -> ledger.append(tx, entry("started", 0)));
                    written.incrementAndGet();
                }
            }));
        }
        for (var writer : writers) {
            writer.join();
        }
        return written.get() / ((System.nanoTime() - start) / 1e9);
    }

    private static Figure verify(Store store, ChainLedger ledger) {
        for (int i = 0; i < VERIFIED; i += 1000) {
            store.write(tx -> {
                for (int n = 0; n < 1000; n++) {
                    ledger.append(tx, entry("ended", n));
                }
                return true;
            });
        }
        ledger.checkpoint();
        var rates = new double[5];
        for (int i = 0; i < rates.length; i++) {
            long start = System.nanoTime();
            var verdict = ledger.verify();
            rates[i] = verdict.records() / ((System.nanoTime() - start) / 1e9);
            if (verdict.status() != Verdict.Status.OK) {
                throw new IllegalStateException(verdict.message());
            }
        }
        return new Figure("ledger.verify", "1/s", new Samples(rates), "asked for", 50_000, new Bar.AtLeast(1));
    }

    /// A log of words, hex and Base64, in which every 64 KiB one of the secrets stands.
    private static Figure redact(String name, int registered) {
        var random = new Random(1);
        var secrets = new ArrayList<Secret>();
        for (int i = 0; i < registered; i++) {
            byte[] raw = new byte[24];
            random.nextBytes(raw);
            secrets.add(new Secret("s" + i, Base64.getEncoder().encodeToString(raw)));
        }
        byte[] text = text(random, secrets);
        var patterns = Patterns.of(secrets, true);
        var rates = new double[9];
        for (int round = -3; round < rates.length; round++) {
            var matcher = new Matcher(patterns);
            var hits = new Hits();
            long start = System.nanoTime();
            for (int at = 0; at < text.length; at += 128 << 10) {
                matcher.feed(text, at, Math.min(text.length, at + (128 << 10)), hits);
                hits.take();
            }
            if (round >= 0) {
                rates[round] = text.length / 1e6 / ((System.nanoTime() - start) / 1e9);
            }
            if (hits.counts().isEmpty()) {
                throw new IllegalStateException("nothing was found");
            }
        }
        return new Figure(name, "MB/s", new Samples(rates), "asked for", 200, new Bar.AtLeast(1));
    }

    private static byte[] text(Random random, List<Secret> secrets) {
        var line = new StringBuilder();
        while (line.length() < 64 << 10) {
            line.append("2026-01-01T00:00:00Z INFO [worker-").append(random.nextInt(99)).append("] compiled src/main/java/example/Type").append(random.nextInt(9999)).append(".java in ")
                    .append(random.nextInt(900)).append(" ms; sha256=").append(Long.toHexString(random.nextLong())).append(Long.toHexString(random.nextLong())).append('\n');
            if (random.nextInt(8) == 0) {
                byte[] raw = new byte[57];
                random.nextBytes(raw);
                line.append(Base64.getEncoder().encodeToString(raw)).append('\n');
            }
        }
        byte[] block = line.toString().getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[STREAM];
        for (int at = 0, n = 0; at < all.length; at += block.length, n++) {
            System.arraycopy(block, 0, all, at, Math.min(block.length, all.length - at));
            var value = secrets.isEmpty() ? " ghp_" + "ab3Z".repeat(9) + " " : secrets.get(n % secrets.size()).value();
            byte[] secret = value.getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(secret, 0, all, Math.min(at + 1000, all.length - secret.length), secret.length);
        }
        return all;
    }
}
