// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Names are read by hand, for each connection; what they are is said here once more.
class HostNameTest {
    private static final Pattern LABEL = Pattern.compile("[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?");
    private static final Pattern NUMBER = Pattern.compile("[0-9]+|0x[0-9a-f]*");
    private static final String[] PIECES = {"a", "z", "f", "g", "0", "9", "x", "0x", "_", "-", ".", ".", "/", ":", "{", "`", "@", "\0", "~", "*", "a".repeat(31), "b".repeat(62), "0".repeat(63)};

    @Test
    void whatIsANameAndWhatIsNone() {
        var random = new Random(7);
        int names = 0;
        for (int i = 0; i < 50_000; i++) {
            var text = new StringBuilder();
            for (int n = random.nextInt(8); n >= 0; n--) {
                text.append(PIECES[random.nextInt(PIECES.length)]);
            }
            boolean name = is(text.toString());
            names += name ? 1 : 0;
            assertThat(HostName.parse(text.toString()).isPresent()).as("'%s'", text).isEqualTo(name);
        }
        assertThat(names).isBetween(5_000, 45_000);
    }

    private static boolean is(String given) {
        String text = given.endsWith(".") ? given.substring(0, given.length() - 1) : given;
        String[] labels = text.split("\\.", -1);
        return !text.isEmpty() && text.length() <= 253 && Arrays.stream(labels).allMatch(l -> LABEL.matcher(l).matches()) && !NUMBER.matcher(labels[labels.length - 1]).matches();
    }
}
