// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.Amounts;
import dev.redoma.model.Bytes;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextTest {

    @Test
    void durationsAreReadAsPeopleWriteThem() {
        assertThat(Durations.parse("x", "250ms")).isEqualTo(Duration.ofMillis(250));
        assertThat(Durations.parse("x", "90s")).isEqualTo(Duration.ofSeconds(90));
        assertThat(Durations.parse("x", "5m")).isEqualTo(Duration.ofMinutes(5));
        assertThat(Durations.parse("x", "1h30m")).isEqualTo(Duration.ofMinutes(90));
        assertThat(Durations.parse("x", "7d")).isEqualTo(Duration.ofDays(7));
        for (var wrong : List.of("", "5", "-1s", "s", "1.5h", "5 m", "NaN", "9999999999999s")) {
            assertThatThrownBy(() -> Durations.parse("--timeout", wrong)).as(wrong).isInstanceOf(Failed.class).hasMessageContaining("--timeout");
        }
    }

    @Test
    void aNameCannotPaintTheTerminal() {
        assertThat(Text.safe("a\u001b[31mred\n\u202eback\u009b")).isEqualTo("a?[31mred??back?");
        assertThat(Text.safe("größe ☕ 😀")).isEqualTo("größe ☕ 😀");
    }

    @Test
    void columnsAreAligned() {
        assertThat(Text.table(List.of("A", "B"), List.of(List.of("long one", "x"), List.of("s", "y"))))
                .isEqualTo("A         B\nlong one  x\ns         y\n");
    }

    @Test
    void sizesAreReadable() {
        assertThat(Text.size(512L)).isEqualTo("512 B");
        assertThat(Text.size(1536L)).isEqualTo("1.5 KiB");
        assertThat(Text.size(8L << 30)).isEqualTo("8.0 GiB");
    }

    @Test
    void amountsHaveOneFormInAllTexts() {
        assertThat(Amounts.time(Duration.ofSeconds(2))).isEqualTo("2.0 s").isEqualTo(Durations.text(2000));
        assertThat(Amounts.count(1, "file")).isEqualTo("1 file");
        assertThat(Amounts.count(0, "file")).isEqualTo("0 files");
        assertThat(Amounts.ofField("limits.lifetimeMs", 1000, 86_400_000)).isEqualTo("1000 (1.0 s) to 86400000 (24h 0m)");
        assertThat(Amounts.ofField("limits.memoryBytes", 25_276_510_208L)).isEqualTo("25276510208 (23.5 GiB)");
        assertThat(Amounts.ofField("limits.pids", 4096)).isEqualTo("4096");
        assertThat(new Bytes(25_276_510_208L)).hasToString("23.5 GiB");
    }

    @Test
    void remotePathsAreToldFromLocalOnes() {
        assertThat(RemotePath.of("box:/a:b")).isEqualTo(new RemotePath(false, "box", "/a:b"));
        assertThat(RemotePath.of("box:")).isEqualTo(new RemotePath(false, "box", "."));
        assertThat(RemotePath.of("./a:b")).isNull();
        assertThat(RemotePath.of("/a:b")).isNull();
        assertThat(RemotePath.of("plain")).isNull();
        assertThat(RemotePath.of("volume/data:/a/b")).isEqualTo(new RemotePath(true, "data", "/a/b"));
        assertThat(RemotePath.of("volume/data/x:y")).isNull();
        assertThat(RemotePath.of("volume/data")).isNull();
        assertThat(new RemotePath(false, "b", "/x/y/").name()).isEqualTo("y");
    }

    @Test
    void aLineOfAFileIsOneLineWhateverIsInIt() {
        assertThat(Text.lines("+// formatting\r require(\"x\")\n-\tb\u2028c\u202ed\u001b[2K\n", "  ")).isEqualTo("  +// formatting^M require(\"x\")\n  -\tb?c?d^[[2K");
    }
}
