// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.ledger.redact.Mark;
import dev.redoma.ledger.redact.Patterns;
import dev.redoma.ledger.redact.Secret;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What of output is masked, when it is shown, and what is kept.
class MaskedOutputTest {
    private static final String SECRET = "correct-horse-battery";
    private static final String STARS = "*".repeat(SECRET.length());

    @TempDir Path dir;
    private final AtomicInteger told = new AtomicInteger();
    private int spools;

    private MaskedOutput output(long limit) {
        return new MaskedOutput(new Spool(path(++spools), limit, () -> Long.MAX_VALUE), () -> Patterns.of(List.of(new Secret("phrase", SECRET)), true), told::incrementAndGet);
    }

    private Path path(int number) {
        return dir.resolve("sb").resolve("ex" + number);
    }

    private String kept(int number) throws Exception {
        return Files.readString(path(number).resolveSibling("ex" + number + ".out"));
    }

    private static void append(MaskedOutput output, int stream, String text) {
        var b = ByteBuffer.allocateDirect(text.length());
        output.append(stream, b.put(text.getBytes(StandardCharsets.US_ASCII)).flip());
    }

    private static String[] shown(MaskedOutput output) throws InterruptedException {
        var streams = new ByteArrayOutputStream[] {new ByteArrayOutputStream(), new ByteArrayOutputStream()};
        try (var reader = output.spool().reader(0, false, false)) {
            for (Execs.Chunk c; (c = reader.next(Duration.ZERO)) != null; ) {
                streams[c.stream() - 1].writeBytes(c.copy());
            }
        }
        return new String[] {streams[0].toString(), streams[1].toString()};
    }

    /// Registered while a command writes: masked from there on wherever it is cut, and what was masked before stays so, also what is held at that moment.
    @Test
    void whatIsRegisteredLaterIsMaskedFromThereOn() throws Exception {
        var later = "later-registered-word";
        var text = "x " + SECRET + " y " + later + " z " + SECRET.substring(0, 5) + "\n" + later + " end";
        var number = new AtomicInteger();
        for (int change = 0; change <= text.length(); change++) {
            number.set(0);
            var output = new MaskedOutput(new Spool(path(++spools), 10_000, () -> Long.MAX_VALUE), new MaskedOutput.Current() {
                @Override
                public Patterns patterns() {
                    var one = new Secret("phrase", SECRET);
                    return Patterns.of(number.get() == 0 ? List.of(one) : List.of(one, new Secret("later", later)), true);
                }

                @Override
                public long changes() {
                    return number.get();
                }
            }, told::incrementAndGet);
            for (int i = 0; i < text.length(); i++) {
                if (i == change) {
                    number.set(1);
                }
                append(output, 1, text.substring(i, i + 1));
            }
            output.flush();
            var kept = shown(output);
            assertThat(kept[0]).as("from %d on", change).hasSize(text.length()).doesNotContain(SECRET);
            int first = text.indexOf(later);
            int second = text.lastIndexOf(later);
            assertThat(kept[0].startsWith("*".repeat(later.length()), first)).as("the first, from %d on", change).isEqualTo(change <= first);
            assertThat(kept[0].startsWith("*".repeat(later.length()), second)).as("the second, from %d on", change).isEqualTo(change <= second);
        }
    }

    @Test
    void aSecretIsMaskedWhereverItIsCutAndNothingElseChanges() throws Exception {
        var text = "a " + SECRET + "\nand " + SECRET.substring(0, 9) + " b";
        for (int cut = 0; cut <= text.length(); cut++) {
            var output = output(1000);
            append(output, 1, text.substring(0, cut));
            if (cut < text.length()) {
                append(output, 1, text.substring(cut));
            }
            assertThat(shown(output)[0]).as("cut at %d", cut).startsWith("a " + STARS + "\n").doesNotContain(SECRET);
            output.flush();
            assertThat(shown(output)[0]).isEqualTo(text.replace(SECRET, STARS));
            assertThat(output.counts()).containsEntry(new Mark("secret", "phrase", "raw"), 1L);
            assertThat(output.spool().digest()).isEqualTo(java.util.HexFormat.of().formatHex(java.security.MessageDigest.getInstance("SHA-256").digest(kept(spools).getBytes())));
        }
        assertThat(told.get()).isEqualTo(text.length() + 1);
    }

    @Test
    void aSecretIsMaskedThoughTheOtherStreamSpeaksInItsMiddle() throws Exception {
        var random = new Random(7);
        for (int round = 0; round < 300; round++) {
            var output = output(10_000);
            var texts = new StringBuilder[] {new StringBuilder(), new StringBuilder()};
            var script = new String[] {"x" + SECRET + "y" + SECRET.substring(0, 5) + SECRET + "\n", "e" + SECRET + " " + SECRET.substring(0, 11) + "\n" + SECRET};
            int[] at = new int[2];
            var order = new StringBuilder();
            while (at[0] < script[0].length() || at[1] < script[1].length()) {
                int s = random.nextInt(2);
                int n = Math.min(random.nextInt(12), script[s].length() - at[s]);
                if (n > 0) {
                    append(output, s + 1, script[s].substring(at[s], at[s] + n));
                    order.append((char) ('1' + s));
                    at[s] += n;
                }
            }
            output.flush();
            var shown = shown(output);
            for (int s = 0; s < 2; s++) {
                // a break within the last one is passed over as well
                assertThat(shown[s].replaceAll("[*\n]+", "*")).as("round %d, stream %d, order %s", round, s, order).isEqualTo(script[s].replace(SECRET, STARS).replaceAll("[*\n]+", "*"));
            }
        }
    }

    @Test
    void whatIsNoSecretIsNotHeldForever() throws Exception {
        var output = output(1000);
        append(output, 1, "plain");
        assertThat(shown(output)[0]).isEqualTo("plain");
        append(output, 1, " c");
        try (var reader = output.spool().reader(5, true, false)) {
            long start = System.nanoTime();
            var text = new StringBuilder();
            while (text.length() < 2) {
                var chunk = reader.next(Duration.ofSeconds(30));
                text.append(new String(chunk.copy(), StandardCharsets.US_ASCII));
            }
            assertThat(text.toString()).isEqualTo(" c");
            append(output, 1, "orrect-hor");
            start = System.nanoTime();
            assertThat(new String(reader.next(Duration.ofSeconds(30)).copy(), StandardCharsets.US_ASCII)).isEqualTo("orrect-hor");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(1500));
        }
        append(output, 1, "se-battery!");
        assertThat(shown(output)[0]).isEqualTo("plain " + STARS + "!");
        assertThat(output.shownBefore()).isEqualTo(11);
    }

    @Test
    void anotherStreamIsHeldNoLongerThanItsBound() throws Exception {
        var output = output(1 << 20);
        append(output, 1, "correct-h");
        var much = "z".repeat(70 << 10);
        append(output, 2, much);
        assertThat(shown(output)).containsExactly("correct-h", much);
        append(output, 1, "orse-battery");
        assertThat(shown(output)).containsExactly(STARS, much);
        assertThat(output.shownBefore()).isEqualTo(9);
    }

    @Test
    void whatIsDroppedAtTheLimitIsNotWrittenForTheMask() throws Exception {
        var output = output(10);
        append(output, 1, "12345 corr");
        append(output, 1, "ect-horse");
        output.flush();
        append(output, 1, "-battery");
        assertThat(kept(spools)).isEqualTo("12345 ****");
        assertThat(output.spool().total()).isEqualTo(6 + SECRET.length());
    }

    @Test
    void bytesThatTheGuestLostEndWhatWasBegun() throws Exception {
        var output = output(1000);
        append(output, 1, "correct-");
        output.skip(5);
        append(output, 1, "horse-battery");
        output.flush();
        assertThat(kept(spools)).isEqualTo("correct-horse-battery");
        assertThat(output.counts()).isEmpty();
    }
}
