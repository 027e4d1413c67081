// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CanonicalTest {

    /// The table of RFC 8785, appendix B, and a few more.
    @ParameterizedTest
    @CsvSource({
        "0000000000000000, 0", "8000000000000000, 0", "0000000000000001, 5e-324", "8000000000000001, -5e-324",
        "7fefffffffffffff, 1.7976931348623157e+308", "ffefffffffffffff, -1.7976931348623157e+308",
        "4340000000000000, 9007199254740992", "c340000000000000, -9007199254740992", "4430000000000000, 295147905179352830000",
        "44b52d02c7e14af5, 9.999999999999997e+22", "44b52d02c7e14af6, 1e+23", "44b52d02c7e14af7, 1.0000000000000001e+23",
        "444b1ae4d6e2ef4e, 999999999999999700000", "444b1ae4d6e2ef4f, 999999999999999900000", "444b1ae4d6e2ef50, 1e+21",
        "3eb0c6f7a0b5ed8c, 9.999999999999997e-7", "3eb0c6f7a0b5ed8d, 0.000001", "41b3de4355555553, 333333333.3333332",
        "41b3de4355555554, 333333333.33333325", "41b3de4355555555, 333333333.3333333", "41b3de4355555556, 333333333.3333334",
        "41b3de4355555557, 333333333.33333343", "becbf647612f3696, -0.0000033333333333333333", "43143ff3c1cb0959, 1424953923781206.2",
        "4014000000000000, 5", "4059000000000000, 100", "3fb999999999999a, 0.1", "40934a456d5cfaad, 1234.5678"
    })
    void aDoubleIsWrittenAsTheStandardSays(String bits, String expected) {
        assertThat(EcmaNumber.text(Double.longBitsToDouble(Long.parseUnsignedLong(bits, 16)))).isEqualTo(expected);
    }

    @Test
    void whatIsNotANumberIsRefused() {
        assertThatThrownBy(() -> EcmaNumber.text(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> EcmaNumber.text(Double.NEGATIVE_INFINITY)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void namesAreSortedByCodeUnitsAsInTheStandardsExample() {
        var object = Map.of("\u20ac", "Euro Sign", "\r", "Carriage Return", "\ufb33", "Hebrew Letter Dalet With Dagesh", "1", "One",
                "\ud83d\ude00", "Emoji: Grinning Face", "\u0080", "Control", "\u00f6", "Latin Small Letter O With Diaeresis");
        assertThat(Canonical.text(object)).isEqualTo("{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
                + "\"\u00f6\":\"Latin Small Letter O With Diaeresis\",\"\u20ac\":\"Euro Sign\",\"\ud83d\ude00\":\"Emoji: Grinning Face\","
                + "\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");
    }

    @Test
    void textIsEscapedAsTheStandardSaysAndNoMore() {
        assertThat(Canonical.text(Map.of("s", "\u20ac$\u000f\nA'B\"\\\\\"/\u007f\u2028")))
                .isEqualTo("{\"s\":\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\u007f\u2028\"}");
    }

    @Test
    void wholeNumbersThatNoDoubleHoldsBecomeText() {
        assertThat(Canonical.text(Map.of("a", (1L << 53) - 1, "b", 1L << 53, "c", Long.MIN_VALUE)))
                .isEqualTo("{\"a\":9007199254740991,\"b\":\"9007199254740992\",\"c\":\"-9223372036854775808\"}");
    }

    @Test
    void halfASurrogateBecomesTheReplacementCharacter() {
        assertThat(Canonical.text(Map.of("s", "a\ud800b\udc00\ud83d"))).isEqualTo("{\"s\":\"a\ufffdb\ufffd\ufffd\"}");
    }

    @Test
    void namesThatWouldBecomeTheSameAreRefused() {
        assertThatThrownBy(() -> Canonical.text(Map.of("\ud800", 1, "\udc00", 2))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aValueOfAnotherTypeIsRefused() {
        assertThatThrownBy(() -> Canonical.text(Map.of("a", new Object()))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void readingAndWritingAgainChangesNothingWhateverTheOrderOfNames() {
        var random = new Random(20260101);
        for (int i = 0; i < 3_000; i++) {
            var object = object(random, 0);
            String text = Canonical.text(object);
            assertThat(Canonical.text(Json.object(text))).isEqualTo(text);
            assertThat(Canonical.text(shuffled(object, random))).isEqualTo(text);
        }
    }

    @Test
    void everyDoubleReadsBackAsItself() {
        var random = new Random(20260102);
        for (int i = 0; i < 50_000; i++) {
            double d = Double.longBitsToDouble(random.nextLong());
            if (Double.isFinite(d)) {
                assertThat(Double.parseDouble(EcmaNumber.text(d))).isEqualTo(d == 0 ? 0.0 : d);
            }
        }
    }

    @Test
    void whatIsNotOneObjectIsNotRead() {
        for (String bad : List.of("", "[]", "1", "{", "{}{}", "{\"a\":1,\"a\":2}", "{\"a\":NaN}", "{\"a\":1,}", "[".repeat(100_000))) {
            assertThat(Json.object(bad)).as(bad.length() < 50 ? bad : "deep").isNull();
        }
    }

    private static Map<String, Object> shuffled(Map<String, Object> object, Random random) {
        var entries = new ArrayList<>(object.entrySet());
        Collections.shuffle(entries, random);
        var other = new LinkedHashMap<String, Object>();
        entries.forEach(e -> other.put(e.getKey(), e.getValue()));
        return other;
    }

    private static Map<String, Object> object(Random random, int depth) {
        var object = new LinkedHashMap<String, Object>();
        for (int i = random.nextInt(6); i > 0; i--) {
            object.put(string(random), value(random, depth + 1));
        }
        return object;
    }

    private static Object value(Random random, int depth) {
        return switch (random.nextInt(depth > 4 ? 5 : 7)) {
            case 0 -> string(random);
            case 1 -> random.nextLong();
            case 2 -> random.nextInt();
            case 3 -> random.nextBoolean();
            case 4 -> finite(random);
            case 5 -> object(random, depth);
            default -> List.of(value(random, depth + 1), value(random, depth + 1));
        };
    }

    private static double finite(Random random) {
        double d = Double.longBitsToDouble(random.nextLong());
        return Double.isFinite(d) ? d : random.nextInt(100);
    }

    private static String string(Random random) {
        var out = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            out.append((char) (random.nextInt(3) == 0 ? random.nextInt(0x10000) : random.nextInt(0x80)));
        }
        return out.toString();
    }
}
