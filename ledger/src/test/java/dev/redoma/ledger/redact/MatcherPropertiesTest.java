// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// The search against one that tries every pattern at every place, and against itself at every boundary of pieces.
class MatcherPropertiesTest {

    @Test
    void findsWhatANaiveSearchFindsInTextsFullOfNearMisses() {
        for (int seed = 0; seed < 400; seed++) {
            var random = new Random(seed);
            var secrets = secrets(random, "ab=", 8 + random.nextInt(9));
            byte[] text = text(random, "ab=", secrets, true);
            assertEquals(shown(naive(secrets, text)), shown(masked(secrets, false, text, List.of())), "seed " + seed + ": " + shown(text));
        }
    }

    @Test
    void findsLongSecretsOfWhichOthersAreParts() {
        for (int seed = 0; seed < 200; seed++) {
            var random = new Random(seed);
            var secrets = new ArrayList<>(secrets(random, "abcd", 17 + random.nextInt(60)));
            secrets.add(new Secret("part", secrets.getFirst().value().substring(3, 14)));
            byte[] text = text(random, "abcd", secrets, false);
            assertEquals(shown(naive(secrets, text)), shown(masked(secrets, false, text, List.of())), "seed " + seed + ": " + shown(text));
        }
    }

    @Test
    void findsTheSameWhereverPiecesBegin() {
        for (int seed = 0; seed < 40; seed++) {
            var random = new Random(seed);
            var secrets = secrets(random, "ab=\"'", 9 + random.nextInt(40));
            byte[] text = withTokens(random, text(random, "ab=\"'", secrets, true));
            byte[] whole = masked(secrets, true, text, List.of());
            for (int cut = 0; cut <= text.length; cut++) {
                assertEquals(shown(whole), shown(masked(secrets, true, text, List.of(cut))), "seed " + seed + ", cut at " + cut);
            }
            for (int round = 0; round < 20; round++) {
                var cuts = random.ints(1 + random.nextInt(30), 0, text.length + 1).sorted().boxed().toList();
                assertEquals(shown(whole), shown(masked(secrets, true, text, cuts)), "seed " + seed + ", cuts " + cuts);
            }
            assertEquals(shown(whole), shown(masked(secrets, true, text, java.util.stream.IntStream.range(0, text.length).boxed().toList())), "byte by byte, seed " + seed);
        }
    }

    /// Byte by byte nothing is passed over.
    @Test
    void passesOverNothingThatIsLookedFor() {
        int found = 0;
        for (int seed = 0; seed < 300; seed++) {
            var random = new Random(seed);
            List<Secret> secrets = seed % 3 == 0 ? List.of() : secrets(random, seed % 3 == 1 ? "abcXYZ-_" : "ab+/ =", 12 + random.nextInt(20));
            var words = new StringBuilder();
            for (int i = 0; i < 60; i++) {
                words.append(switch (random.nextInt(6)) {
                    case 0 -> "ghp_";
                    case 1 -> word(random, "ABC -", random.nextInt(30));
                    case 2 -> secrets.isEmpty() ? "sk-proj-" : secrets.getFirst().value();
                    default -> word(random, "abcXYZ019_.-/", random.nextInt(24));
                }).append(" \n,".charAt(random.nextInt(3)));
            }
            if (seed % 50 == 0) {
                words.insert(words.length() / 2, '\0');
            }
            byte[] text = withTokens(random, words.toString().getBytes(StandardCharsets.ISO_8859_1));
            byte[] whole = masked(secrets, true, text, List.of());
            assertEquals(shown(masked(secrets, true, text, java.util.stream.IntStream.range(0, text.length).boxed().toList())), shown(whole), "seed " + seed);
            found += shown(whole).contains("****") ? 1 : 0;
        }
        assertTrue(found > 200, () -> "texts are to hold something");
    }

    /// And nothing is masked that was settled before.
    private static byte[] masked(List<Secret> secrets, boolean shapes, byte[] text, List<Integer> cuts) {
        var matcher = new Matcher(Patterns.of(secrets, shapes));
        var hits = new Hits();
        byte[] out = text.clone();
        var ends = new ArrayList<>(cuts);
        ends.add(text.length);
        int from = 0;
        for (int end : ends) {
            long settled = matcher.settled();
            byte[] piece = java.util.Arrays.copyOfRange(text, from, end);
            matcher.feed(piece, 0, piece.length, hits);
            for (var range : hits.take()) {
                assertTrue(range.from() >= settled, () -> range + " was settled up to " + settled);
                Patterns.cover(out, (int) range.from(), (int) range.to());
            }
            assertTrue(matcher.settled() >= settled);
            from = end;
        }
        return out;
    }

    /// The longest end of what came that a pattern begins with, and every pattern that ends there.
    private static byte[] naive(List<Secret> secrets, byte[] text) {
        var patterns = secrets.stream().flatMap(s -> Renderings.of(s.bytes()).stream()).map(f -> shown(f.bytes())).distinct().toList();
        byte[] out = text.clone();
        var open = new StringBuilder();
        var places = new ArrayList<Integer>();
        for (int i = 0; i < text.length; i++) {
            char c = (char) (text[i] & 0xff);
            if (c == '\n' || c == '\r') {
                continue;
            }
            open.append(c);
            places.add(i);
            while (!open.isEmpty() && patterns.stream().noneMatch(p -> p.startsWith(open.toString()))) {
                open.deleteCharAt(0);
                places.removeFirst();
            }
            for (var p : patterns) {
                if (open.toString().endsWith(p)) {
                    places.subList(places.size() - p.length(), places.size()).forEach(at -> out[at] = '*');
                }
            }
        }
        return out;
    }

    private static List<Secret> secrets(Random random, String alphabet, int length) {
        var secrets = new ArrayList<Secret>();
        for (int i = 0; i < 1 + random.nextInt(3); i++) {
            secrets.add(new Secret("s" + i, word(random, alphabet, length)));
        }
        return secrets;
    }

    private static String word(Random random, String alphabet, int length) {
        var word = new StringBuilder();
        for (int i = 0; i < length; i++) {
            word.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return word.toString();
    }

    private static byte[] text(Random random, String alphabet, List<Secret> secrets, boolean breaks) {
        var text = new StringBuilder();
        for (int i = 0; i < 12; i++) {
            var forms = Renderings.of(secrets.get(random.nextInt(secrets.size())).bytes());
            var form = shown(forms.get(random.nextInt(forms.size())).bytes());
            int cut = random.nextInt(form.length());
            text.append(switch (random.nextInt(breaks ? 5 : 4)) {
                case 0 -> form;
                case 1 -> form.substring(0, cut);
                case 2 -> form.substring(0, cut) + form;
                case 3 -> word(random, alphabet, random.nextInt(9));
                default -> form.substring(0, cut) + (random.nextBoolean() ? "\n" : "\r\n") + form.substring(cut);
            });
        }
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] withTokens(Random random, byte[] text) {
        var tokens = List.of(" ghp_" + word(random, "abcXYZ019", 36), "\nsk-ant-" + word(random, "ab-_", 40) + "\n", " AKIA" + word(random, "AB01", 16) + ",",
                "eyJhbGciOiJIUzI1NiJ9.eyJ" + word(random, "abc_-", 20) + "." + word(random, "abc", 20) + " ", "hf_" + word(random, "ab", 5) + " ",
                "-----BEGIN PRIVATE KEY-----\n" + word(random, "abc/+", 64) + "\n" + word(random, "abc/+", 30) + "==\n-----END PRIVATE KEY-----\n");
        var all = new StringBuilder(shown(text));
        for (int i = 0; i < 4; i++) {
            all.insert(random.nextInt(all.length() + 1), tokens.get(random.nextInt(tokens.size())));
        }
        return all.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String shown(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
