// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/// Names as people see them name the same bytes on the way back.
class NamesTest {
    @Test
    void bytesThatAreNoUtf8AreShownAndNamedByTheirNumbers() {
        assertThat(Names.printable(Names.decode(new byte[] {'a', (byte) 0xff, 'b'}))).isEqualTo("a\\xffb");
        assertThat(Names.encode(Names.parse("a\\xffb"))).containsExactly('a', 0xff, 'b');
        assertThat(Names.encode(Names.parse("\\xc3\\xa9"))).isEqualTo("é".getBytes(UTF_8));
    }

    @Test
    void aBackslashThatWouldReadAsOneIsShownAsOne() {
        assertThat(Names.printable("\\xff")).isEqualTo("\\x5cxff");
        assertThat(Names.parse("\\x5cxff")).isEqualTo("\\xff");
        for (var plain : new String[] {"\\", "\\x", "\\x4", "\\x41", "\\xFF", "\\n", "C:\\x1", "\\\\x80".substring(1, 2)}) {
            assertThat(Names.printable(plain)).isEqualTo(plain);
            assertThat(Names.parse(plain)).isEqualTo(plain);
        }
    }

    /// Seeded.
    @Test
    void everyNameComesBackAsItWas() {
        var random = new Random(7);
        byte[] alphabet = {'\\', 'x', '5', 'c', 'f', '8', 'a', (byte) 0xff, (byte) 0x80, (byte) 0xc3, (byte) 0xa9, 'é' & 0x7f};
        for (int i = 0; i < 20_000; i++) {
            var name = new byte[random.nextInt(12)];
            for (int j = 0; j < name.length; j++) {
                name[j] = alphabet[random.nextInt(alphabet.length)];
            }
            assertThat(Names.encode(Names.parse(Names.printable(Names.decode(name))))).isEqualTo(name);
        }
    }
}
