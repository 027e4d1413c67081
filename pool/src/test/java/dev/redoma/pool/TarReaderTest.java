// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TarReaderTest {

    @Test
    @Timeout(60)
    void anyDamageIsAFlawOrReadAsSomethingAndNeverAnythingElse() throws Exception {
        var valid = new Tar().dir("d").file("d/f", "content").pax(Map.of("path", "long/name".getBytes(), "mtime", "1.5".getBytes(), "size", "3".getBytes()))
                .file("x", "abc").member('L', "././@LongLink", 0, 0, "", "n".repeat(600).getBytes()).file("short", "y").symlink("s", "t").hardlink("h", "d/f");
        valid.end();
        var bytes = valid.bytes();
        var random = new Random(42);
        int flaws = 0;
        for (int i = 0; i < 20_000; i++) {
            var damaged = bytes.clone();
            for (int n = random.nextInt(4); n >= 0; n--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            }
            reseal(damaged);
            flaws += readAll(damaged);
        }
        assertThat(flaws).isBetween(1_000, 20_000);
    }

    /// Makes the checksums of all blocks that look like headers right again, so that the damage gets past them.
    private static void reseal(byte[] tar) {
        for (int at = 0; at + 512 <= tar.length; at += 512) {
            if (tar[at + 257] != 'u') {
                continue;
            }
            int sum = 8 * ' ';
            for (int i = 0; i < 512; i++) {
                sum += i >= 148 && i < 156 ? 0 : tar[at + i] & 0xff;
            }
            System.arraycopy("%06o\0 ".formatted(sum).getBytes(StandardCharsets.US_ASCII), 0, tar, at + 148, 8);
        }
    }

    private static int readAll(byte[] tar) {
        var reader = new TarReader(new ByteArrayInputStream(tar));
        try {
            var buffer = new byte[1000];
            while (reader.next() != null) {
                while (reader.read(buffer) > 0) {}
            }
            return 0;
        } catch (IOException flaw) {
            return 1;
        }
    }

    @Test
    void aTimeBeyondAllReckoningIsAFlaw() {
        var tar = new Tar().file("f", "").bytes();
        java.util.Arrays.fill(tar, 136, 148, (byte) 0x3f);
        tar[136] = (byte) 0x80;
        tar[137] = 0;
        tar[138] = 0;
        tar[139] = 0;
        tar[140] = 0;
        reseal(tar);
        assertThatThrownBy(() -> new TarReader(new ByteArrayInputStream(tar)).next()).isInstanceOf(TarFlaw.class).hasMessageContaining("time");
    }

    @Test
    void timesHaveFractionsAndMayLieBefore1970() throws Exception {
        assertThat(PaxRecords.time("1.5".getBytes())).isEqualTo(Instant.ofEpochSecond(1, 500_000_000));
        assertThat(PaxRecords.time("-1.25".getBytes())).isEqualTo(Instant.ofEpochSecond(-2, 750_000_000));
        assertThat(PaxRecords.time("7".getBytes())).isEqualTo(Instant.ofEpochSecond(7));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e-999999999", "1e999999999", "", "NaN", "99999999999999", "1.5.5", "0x10"})
    void aTimeThatIsNoneIsAFlaw(String time) {
        assertThatThrownBy(() -> PaxRecords.time(time.getBytes())).isInstanceOf(TarFlaw.class);
    }
}
