// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PatternsTest {
    private static final String KEY_LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";

    @Test
    void findsASecretInEveryFormInWhichItIsCommonlyWritten() {
        for (int seed = 0; seed < 300; seed++) {
            var random = new Random(seed);
            var secret = random.ints(10 + random.nextInt(60), 32, 127).collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
            var patterns = Patterns.of(List.of(new Secret("key", secret)), false);
            byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
            gone(patterns, secret, "raw");
            gone(patterns, HexFormat.of().formatHex(bytes), "hex");
            gone(patterns, HexFormat.of().withUpperCase().formatHex(bytes), "hex");
            gone(patterns, URLEncoder.encode(secret, StandardCharsets.UTF_8), "form");
            gone(patterns, secret.replace("\\", "\\\\").replace("\"", "\\\""), "json");
            gone(patterns, secret.replace("'", "'\\''"), "shell");
            gone(patterns, secret.replace("'", "'\"'\"'"), "shell, as Python's shlex and dash have it");
            gone(patterns, secret.replace("\\", "\\\\").replace("'", "\\'"), "quoted, as by Python, Perl and PHP");
            var json = secret.replace("\\", "\\\\").replace("\"", "\\\"");
            gone(patterns, json.replace("\\", "\\\\").replace("\"", "\\\""), "json in json");
        }
    }

    /// Writers of ASCII tell what is beyond it by its number.
    @Test
    void findsItWhereXmlWritesCharactersByTheirNumber() {
        var patterns = Patterns.of(List.of(new Secret("key", "pässwörd & ключ")), false);
        gone(patterns, "p&#228;ssw&#246;rd &amp; &#1082;&#1083;&#1102;&#1095;", "xml");
    }

    private static void gone(Patterns patterns, String form, String what) {
        var masked = patterns.mask("<<" + form + ">>", new Hits());
        assertEquals("<<" + "*".repeat(form.length()) + ">>", masked, what);
    }

    @Test
    void findsItInBase64OfALongerTextWhereverItStandsAndHoweverItIsBroken() {
        for (int seed = 0; seed < 300; seed++) {
            var random = new Random(seed);
            byte[] secret = new byte[9 + random.nextInt(100)];
            random.nextBytes(secret);
            for (int i = 0; i < secret.length; i++) {
                secret[i] = (byte) ('!' + (secret[i] & 0x7f) % 90);
            }
            var text = "x".repeat(random.nextInt(40)) + new String(secret, StandardCharsets.US_ASCII) + "y".repeat(random.nextInt(40));
            var patterns = Patterns.of(List.of(new Secret("key", new String(secret, StandardCharsets.US_ASCII))), false);
            for (var encoder : List.of(Base64.getEncoder(), Base64.getUrlEncoder(), Base64.getMimeEncoder())) {
                var hits = new Hits();
                var masked = patterns.mask(encoder.encodeToString(text.getBytes(StandardCharsets.US_ASCII)), hits);
                assertEquals(1, hits.counts().values().stream().mapToLong(n -> n).sum(), "seed " + seed);
                var plain = new String(Base64.getMimeDecoder().decode(masked.replace('*', 'A').replace('-', '+').replace('_', '/')), StandardCharsets.ISO_8859_1);
                assertFalse(plain.contains(new String(secret, 1, secret.length - 2, StandardCharsets.US_ASCII)), "seed " + seed);
            }
        }
    }

    @Test
    void findsTheLinesOfASecretOfSeveralLinesTogetherAndAlone() {
        var key = "-----BEGIN KEY-----\n" + KEY_LINE + "\n" + KEY_LINE.toLowerCase(java.util.Locale.ROOT) + "\n-----END KEY-----\n";
        var patterns = Patterns.of(List.of(new Secret("key", key)), false);
        assertEquals("line: " + "*".repeat(KEY_LINE.length()) + ".", patterns.mask("line: " + KEY_LINE + ".", new Hits()));
        assertFalse(patterns.mask(key.replace("\n", "\\n"), new Hits()).contains(KEY_LINE));
        assertEquals("-----BEGIN KEY-----\nanother\n-----END KEY-----\n", patterns.mask("-----BEGIN KEY-----\nanother\n-----END KEY-----\n", new Hits()));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "ghp_|abcdefghijklmnopqrstuvwxyz0123456789", "github_pat_|11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz", "glpat-|ABCDEFGHIJKLMNOPQRST", "AKIA|IOSFODNN7EXAMPLE",
        "AIza|SyA1234567890abcdefghijklmnopqrstuvw", "xoxb-|123456789012-abcdefABCDEF", "sk-ant-|api03-abcdefghijklmnopqrstuvwxyz012345", "sk-proj-|abcdefghijklmnopqrstuvwxyz0123456789",
        "sk-|abcdefghijklmnopqrstT3BlbkFJabcdefghijklmnop", "hf_|abcdefghijklmnopqrstuvwxyzABCDEFGH", "npm_|abcdefghijklmnopqrstuvwxyz0123456789", "hvs.|CAESIJ1234567890abcdefghijkl",
        "e2b_|0123456789abcdef0123456789abcdef01234567", "rpt1.|pv0123456789abcdefgh.sb0123456789abcdefgh.8080.token.1767225600000000.abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG",
        "SG.|abcdefghijklmnopqrstuv.abcdefghijklmnopqrstuvwxyz0123456789abcdefg", "eyJhbGci|OiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJlLW9mLWl0"})
    void knowsTokensByTheirShapeAndLeavesTheirPrefix(String token) {
        var parts = token.split("\\|");
        for (var around : List.of("%s", "token=%s ", "\"%s\"", "https://x:%s@forge.example.com/", "a\n%s\nb")) {
            var hits = new Hits();
            var masked = Patterns.shapes().mask(String.format(around, parts[0] + parts[1]), hits);
            assertEquals(String.format(around, parts[0] + "*".repeat(parts[1].length())), masked);
            assertEquals(1, hits.counts().values().stream().mapToLong(n -> n).sum());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"task-proj-abcdefghijklmnopqrstuvwxyz0123456789", "ghp_tooShort", "AKIAlowercaseisnokey", "eyJhbGciOiJIUzI1NiJ9 and .eyJ", "if \"-----BEGIN RSA PRIVATE KEY-----\" in text:",
        "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n", "disk-abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuv", "gh\np_abcdefghijklmnopqrstuvwxyz0123456789"})
    void leavesWhatOnlyResemblesAToken(String text) {
        assertSame(text, Patterns.shapes().mask(text, new Hits()));
    }

    @Test
    void masksTheBodyOfAPrivateKeyAndNothingAfterIt() {
        for (var gap : List.of("\n", "\r\n", "\\n", "\n    ")) {
            var hits = new Hits();
            var text = "a: -----BEGIN OPENSSH PRIVATE KEY-----" + gap + KEY_LINE + gap + "MIIE==" + gap + "-----END OPENSSH PRIVATE KEY-----" + gap + "b: c";
            var masked = Patterns.shapes().mask(text, hits);
            assertFalse(masked.contains(KEY_LINE.substring(0, 8)) || masked.contains("MIIE=="), masked);
            assertEquals("b: c", masked.substring(masked.length() - 4));
            assertEquals(Map.of(new Mark("shape", "private-key", "token"), 1L), hits.counts());
        }
    }

    @Test
    void whatFollowsAKeyIsNoMoreOfIt() {
        var key = "-----BEGIN PRIVATE KEY-----\n" + KEY_LINE + "\n" + KEY_LINE + "\nMIIE\n";
        for (var after : List.of("END\n/tmp/evil\n", "/usr/bin/id\n", KEY_LINE.toLowerCase(java.util.Locale.ROOT) + "\n")) {
            var masked = Patterns.shapes().mask(key + after, new Hits());
            assertEquals(after, masked.substring(key.length()));
            assertFalse(masked.contains("MII"), masked);
        }
        var longer = "-----BEGIN PRIVATE KEY-----\n" + KEY_LINE + "\n" + KEY_LINE + "/tmp/evil\n";
        assertEquals("/tmp/evil\n", Patterns.shapes().mask(longer, new Hits()).substring(longer.length() - 10));
    }

    @Test
    void masksKeysThatAreThemselvesEncrypted() {
        for (var gap : List.of("\n", "\r\n", "\\n")) {
            var text = "-----BEGIN RSA PRIVATE KEY-----" + gap + "Proc-Type: 4,ENCRYPTED" + gap + "DEK-Info: AES-128-CBC,1B2C" + gap + gap + KEY_LINE + gap + "MIIE==" + gap + "-----END RSA PRIVATE KEY-----";
            var masked = Patterns.shapes().mask(text, new Hits());
            assertFalse(masked.contains(KEY_LINE.substring(0, 8)) || masked.contains("MIIE=="), masked);
            assertEquals("-----END RSA PRIVATE KEY-----", masked.substring(masked.indexOf("-----END")));
        }
    }

    /// As Python's `quote` and `quote_plus`, JavaScript's two, Go's `PathEscape` and `EscapedPath`, RFC 3986, Go's and PHP's JSON, and XML write it.
    @ParameterizedTest
    @ValueSource(strings = {
        "S3cr3t/Pa%24%24w0rd%2Bwith%22quote%26amp%3D1%3B%40%3C%3E", "S3cr3t%2FPa%24%24w0rd%2Bwith%22quote%26amp%3D1%3B%40%3C%3E", "S3cr3t/Pa$$w0rd+with%22quote&amp=1;@%3C%3E",
        "S3cr3t%2FPa$$w0rd+with%22quote&amp=1%3B@%3C%3E", "S3cr3t%2FPa$$w0rd+with%22quote&amp=1;@%3C%3E", "S3cr3t/Pa$$w0rd+with\\\"quote\\u0026amp=1;@\\u003c\\u003e",
        "S3cr3t\\/Pa$$w0rd+with\\\"quote&amp=1;@<>", "S3cr3t/Pa$$w0rd+with&quot;quote&amp;amp=1;@&lt;&gt;", "S3cr3t/Pa$$w0rd+with\"quote&amp;amp=1;@&lt;&gt;"})
    void findsItHoweverALibraryEncodesIt(String form) {
        gone(Patterns.of(List.of(new Secret("key", "S3cr3t/Pa$$w0rd+with\"quote&amp=1;@<>")), false), form, form);
    }

    @Test
    void findsItInLinesOfAnyLengthWhereverTheyBreak() {
        var secret = "d3pl0y/K3y+of=the~house-4711!x";
        var patterns = Patterns.of(List.of(new Secret("key", secret)), true);
        for (int before = 0; before < 140; before++) {
            var text = ("p".repeat(before) + secret + "y".repeat(90)).getBytes(StandardCharsets.US_ASCII);
            var masked = patterns.mask(Base64.getMimeEncoder().encodeToString(text), new Hits());
            var plain = new String(Base64.getMimeDecoder().decode(masked.replace('*', 'A')), StandardCharsets.ISO_8859_1);
            assertFalse(plain.contains(secret.substring(1, secret.length() - 1)), before + ": " + plain);
            var folded = new StringBuilder(new String(text, StandardCharsets.US_ASCII));
            for (int at = 60; at < folded.length(); at += 61) {
                folded.insert(at, '\n');
            }
            assertFalse(patterns.mask(folded.toString(), new Hits()).replace("\n", "").contains(secret), before + ": " + folded);
        }
    }

    /// Who registers values for a sandbox hides words by it, and not where it went, by which rule and with whose leave.
    @Test
    void aRegisteredValueHidesNoFactOfTheHost() {
        var hiding = Patterns.of(List.of(new Secret("a", "10.77.0.2"), new Secret("b", "floor.approve"), new Secret("c", "kyabcdefghijklmnopqr"), new Secret("d", "attacker-example"),
                new Secret("e", "approval-pending"), new Secret("f", "allow: [attacker")), true);
        Map<String, Object> facts = Map.of("address", "10.77.0.2", "rule", "floor.approve[2]", "person", "kyabcdefghijklmnopqr", "requestedBy", "kyabcdefghijklmnopqr", "reason", "approval-pending",
                "host", "attacker-example.com", "documents", List.of(Map.of("text", "hosts: {allow: [attacker-example.com]}")));
        assertEquals(facts, Masks.fields(facts, hiding, new Hits()));
        var hits = new Hits();
        assertEquals(Map.of("host", "****************.attacker-example.com", "argv", List.of("ping", "*********"), "message", "no ****************"),
                Masks.fields(Map.of("host", "attacker-example.attacker-example.com", "argv", List.of("ping", "10.77.0.2"), "message", "no approval-pending"), hiding, hits));
        assertEquals(3, hits.counts().values().stream().mapToLong(n -> n).sum());
    }

    @Test
    void looksForShapesInNoBinaryButForSecretsEverywhere() {
        var token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        var binary = "\177ELF\0\0 " + token;
        assertSame(binary, Patterns.shapes().mask(binary, new Hits()));
        var both = Patterns.of(List.of(new Secret("key", "hunter2hunter2")), true);
        assertEquals("\0\0 " + token + " **************", both.mask("\0\0 " + token + " hunter2hunter2", new Hits()));
    }
}
