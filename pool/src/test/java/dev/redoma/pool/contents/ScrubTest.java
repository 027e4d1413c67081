// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Stat;
import dev.redoma.kernel.Xattrs;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.FoundCredential;
import dev.redoma.model.wire.PackageChange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class ScrubTest {
    private static final String TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    private static final String PASSWORD = "correct7horse8battery9staple";
    private static final String KEY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    private static final Map<ContentClass, Order> SCRUB = Map.of(ContentClass.CREDENTIALS, Order.SCRUB, ContentClass.HISTORY, Order.SCRUB, ContentClass.BROWSER, Order.SCRUB);

    @TempDir
    Path upper;

    private Path put(String path, String content) throws IOException {
        Path file = upper.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content, StandardCharsets.UTF_8);
    }

    private Map<ContentClass, Tally> scrub(Map<ContentClass, Order> orders) {
        return Scrub.run(List.of(upper), orders, Bounds.STANDARD);
    }

    private Manifest look() {
        return Scrub.look(List.of(upper), List.of(), Bounds.STANDARD);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private void everywhere() throws IOException {
        put("home/user/app/.env", "DEBUG=1\nGITHUB_TOKEN=" + TOKEN + "\nDB_PASSWORD='" + PASSWORD + "'\n");
        put("root/.bash_history", "ls\nexport T=" + TOKEN + "\ncurl -u me:" + PASSWORD + " https://x.example\n");
        put("home/user/.ssh/id_rsa", "-----BEGIN RSA PRIVATE KEY-----\n" + KEY + "\n" + KEY + "\n-----END RSA PRIVATE KEY-----\n");
        put("home/user/.npmrc", "//registry.example.com/:_authToken=" + TOKEN + "\n");
        put("home/user/.netrc", "machine git.example login me password " + PASSWORD + "\n");
        put("home/user/.git-credentials", "https://me:" + PASSWORD + "@git.example\n");
        put("home/user/.pypirc", "[pypi]\nusername = __token__\npassword = " + PASSWORD + "\n");
        put("home/user/.aws/credentials", "[default]\naws_access_key_id = AKIAIOSFODNN7ABCDEF1\naws_secret_access_key = wJalrXUtnFEMI7K7MDENGbPxRfiCY1234\n");
        put("home/user/.docker/config.json", "{\"auths\":{\"r.example\":{\"auth\":\"" + base64("me:" + PASSWORD) + "\"}}}");
        for (int shift = 0; shift < 3; shift++) {
            put("srv/notes" + shift + ".txt", "see " + base64("x".repeat(shift) + TOKEN + " tail") + " and " + base64("yy".repeat(shift) + PASSWORD) + "\n");
            put("srv/url" + shift + ".txt", Base64.getUrlEncoder().withoutPadding().encodeToString(("?".repeat(shift) + PASSWORD + "~~~").getBytes(StandardCharsets.UTF_8)));
        }
        put("opt/tool/blob.bin", "\0\0\0" + PASSWORD + "\0" + TOKEN + "\0");
        put("home/user/.config/google-chrome/Default/Cookies", "\0sqlite" + TOKEN);
    }

    /// LC-11: neither the values nor their base64, wherever they lay.
    @Test
    void afterScrubbingNoSecretIsLeftPlainOrInBase64() throws IOException {
        everywhere();
        Map<ContentClass, Tally> taken = scrub(SCRUB);
        assertThat(taken.get(ContentClass.CREDENTIALS).files()).isGreaterThan(8);
        assertThat(taken.get(ContentClass.HISTORY).files()).isEqualTo(1);
        assertThat(taken.get(ContentClass.BROWSER).files()).isEqualTo(1);
        for (String secret : List.of(TOKEN, PASSWORD, KEY, "wJalrXUtnFEMI7K7MDENGbPxRfiCY1234", "AKIAIOSFODNN7ABCDEF1")) {
            assertThat(holding(secret)).as(secret).isEmpty();
        }
        assertThat(upper.resolve("root/.bash_history")).doesNotExist();
        assertThat(upper.resolve("home/user/.config/google-chrome/Default")).doesNotExist();
        assertThat(Files.readString(upper.resolve("home/user/app/.env"))).startsWith("DEBUG=1\nGITHUB_TOKEN=****").endsWith("'\n");
        assertThat(look().credentials()).isEmpty();
    }

    private List<Path> holding(String secret) throws IOException {
        try (var files = Files.walk(upper)) {
            return files.filter(Files::isRegularFile).filter(f -> holds(f, secret)).toList();
        }
    }

    private static boolean holds(Path file, String secret) {
        try {
            String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
            return text.contains(secret) || java.util.stream.IntStream.range(0, 3).anyMatch(alignment ->
                    text.contains(new String(Base64Text.stable(secret.getBytes(StandardCharsets.UTF_8), alignment, false), StandardCharsets.ISO_8859_1))
                    || text.contains(new String(Base64Text.stable(secret.getBytes(StandardCharsets.UTF_8), alignment, true), StandardCharsets.ISO_8859_1)));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void theManifestTellsPathKindAndLineAndNeverTheValue() throws IOException {
        everywhere();
        put("tmp/" + TOKEN, "x");
        Manifest m = look();
        assertThat(m.whole()).isTrue();
        assertThat(m.credentials()).contains(new FoundCredential("/home/user/app/.env", "github-token", 2),
                new FoundCredential("/home/user/.ssh/id_rsa", "private-key", 2), new FoundCredential("/home/user/.git-credentials", "url-password", 1),
                new FoundCredential("/home/user/.netrc", "netrc-password", 1), new FoundCredential("/tmp/…", "github-token-in-name", 0));
        assertThat(m.toString()).doesNotContain(TOKEN).doesNotContain(PASSWORD).doesNotContain(KEY);
        assertThat(m.of(ContentClass.HISTORY).samples()).containsExactly("/root/.bash_history");
        assertThat(m.of(ContentClass.TEMPORARY).files()).isEqualTo(1);
        assertThat(m.unread()).isEqualTo(2);
    }

    @Test
    void whatIsRefusedIsNamedAndNothingIsTouched() throws IOException {
        everywhere();
        var before = Files.readString(upper.resolve("home/user/app/.env"));
        assertThatThrownBy(() -> scrub(Map.of(ContentClass.CREDENTIALS, Order.REFUSE, ContentClass.HISTORY, Order.SCRUB)))
                .isInstanceOfSatisfying(RedomaException.class, e -> {
                    assertThat(e.code()).isEqualTo(Code.CONTENTS_REFUSED);
                    assertThat(e.problem().details()).containsEntry("classes", List.of("credentials"));
                    assertThat(e.problem().toString()).contains(".env:2 github-token").doesNotContain(TOKEN).doesNotContain(PASSWORD);
                });
        assertThat(upper.resolve("home/user/app/.env")).hasContent(before);
        assertThat(upper.resolve("root/.bash_history")).exists();
        Files.delete(upper.resolve("root/.bash_history"));
        assertThat(scrub(Map.of(ContentClass.HISTORY, Order.REFUSE))).isEmpty();
    }

    @Test
    void whatMakesItThatMachineNeverStays() throws IOException {
        for (String path : List.of("etc/machine-id", "var/lib/dbus/machine-id", "etc/ssh/ssh_host_rsa_key", "etc/ssh/ssh_host_rsa_key.pub", "var/lib/systemd/random-seed",
                "var/lib/urandom/random-seed")) {
            put(path, "mine");
        }
        put("etc/ssh/sshd_config", "Port 22");
        put("etc/ssh/ssh_host_dsa_key/odd/inner", "mine");
        scrub(Map.of());
        assertThat(upper.resolve("etc/ssh")).isDirectoryContaining("glob:**sshd_config");
        try (var files = Files.walk(upper)) {
            assertThat(files.filter(Files::isRegularFile)).hasSize(1);
        }
    }

    @Test
    void whomItWasToldToTrustIsTakenOutAndOtherAuthoritiesStay() throws IOException {
        String ours = block("\u0001\u0002 Redoma egress authority \u0003".repeat(20));
        String other = block("somebody else".repeat(30));
        put("etc/ssl/certs/ca-certificates.crt", other + ours + "# a remark\n" + other);
        for (String path : List.of("usr/local/share/ca-certificates/redoma.crt", "etc/ssl/certs/redoma.pem", "etc/ssl/certs/38b0e9fd.0", "etc/sudoers.d/redoma", "etc/profile.d/redoma-trust.sh")) {
            put(path, ours);
        }
        put("etc/ssl/certs/mine.pem", other);
        scrub(Map.of());
        assertThat(upper.resolve("etc/ssl/certs/ca-certificates.crt")).hasContent(other + "# a remark\n" + other);
        try (var files = Files.walk(upper)) {
            assertThat(files.filter(Files::isRegularFile)).hasSize(2);
        }
    }

    private static String block(String der) {
        return "-----BEGIN CERTIFICATE-----\n" + java.util.Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der.getBytes()) + "\n-----END CERTIFICATE-----\n";
    }

    @Test
    void secretsInAttributesGoWithTheAttribute() throws Exception {
        put("srv/tagged", "nothing here");
        try (Dir dir = Dir.open(upper.resolve("srv")); Dir above = Dir.open(upper)) {
            Xattrs.set(dir, "tagged", "user.origin", ("https://me:" + TOKEN + "@example.com/x").getBytes());
            Xattrs.set(dir, "tagged", "user.mime", "text/plain".getBytes());
            Xattrs.set(above, "srv", "user.note", TOKEN.getBytes());
            scrub(SCRUB);
            assertThat(Xattrs.list(dir, "tagged")).containsExactly("user.mime");
            assertThat(Xattrs.list(above, "srv")).isEmpty();
        }
        assertThat(upper.resolve("srv/tagged")).hasContent("nothing here");
    }

    @Test
    void aHostileTreeLeadsNowhere(@TempDir Path host) throws Exception {
        Path outside = Files.writeString(host.resolve("canary"), "outside " + TOKEN);
        Files.createDirectories(host.resolve("dir"));
        Files.writeString(host.resolve("dir/machine-id"), "outside");
        put("home/user/.env", "A=" + TOKEN);
        Files.createSymbolicLink(upper.resolve("home/user/.netrc"), outside);
        Files.createSymbolicLink(upper.resolve("home/user/.bash_history"), outside);
        Files.createSymbolicLink(upper.resolve("etc"), host.resolve("dir"));
        Files.createSymbolicLink(upper.resolve("loop"), Path.of("."));
        Files.createSymbolicLink(upper.resolve("var"), Path.of("/"));
        Files.createLink(upper.resolve("hard"), upper.resolve("home/user/.env"));
        Files.createDirectories(upper.resolve("srv/.zsh_history/.env"));
        try (Dir dir = Dir.open(upper)) {
            dir.mkfifo(".npmrc", 0600);
            dir.mkfifo(".python_history", 0600);
            dir.mknod("credentials", Stat.Type.CHAR, 0600, new Stat.Device(1, 5));
            dir.mknod("deleted", Stat.Type.CHAR, 0, new Stat.Device(0, 0));
            dir.symlink("/" + TOKEN, "secret-target");
            dir.mkdir("-rf\n\uDCFF\u202E", 0000);
        }
        put("long/" + "n".repeat(255), TOKEN);
        scrub(SCRUB);
        assertThat(outside).hasContent("outside " + TOKEN);
        assertThat(host.resolve("dir/machine-id")).hasContent("outside");
        assertThat(Files.exists(upper.resolve("home/user/.bash_history"), LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(Files.isSymbolicLink(upper.resolve("home/user/.netrc"))).as("a link stays a link").isTrue();
        assertThat(Files.exists(upper.resolve("secret-target"), LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(Files.exists(upper.resolve("deleted"), LinkOption.NOFOLLOW_LINKS)).as("a whiteout").isTrue();
        try (Dir dir = Dir.open(upper)) {
            assertThat(dir.has("-rf\n\uDCFF\u202E")).isTrue();
            dir.rmdir("-rf\n\uDCFF\u202E");
        }
        assertThat(upper.resolve("hard")).content().doesNotContain(TOKEN);
        assertThat(upper.resolve("long/" + "n".repeat(255))).content().doesNotContain(TOKEN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"deep", "many", "long"})
    void whatCannotBeLookedAtWholeIsNotSaved(String how) throws IOException {
        var bounds = new Bounds(1000, 20, 500, 1 << 20, Duration.ofSeconds(30));
        switch (how) {
            case "deep" -> put("a/".repeat(30) + "f", "x");
            case "many" -> {
                for (int i = 0; i < 600; i++) {
                    put("d/" + i, "x");
                }
            }
            default -> put("big", "text ".repeat(1 << 20));
        }
        assertThatThrownBy(() -> Scrub.run(List.of(upper), SCRUB, bounds)).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.SCRUB_FAILED));
        assertThat(Scrub.look(List.of(upper), List.of(), bounds).whole()).isFalse();
        assertThat(Scrub.run(List.of(upper), Map.of(ContentClass.HISTORY, Order.KEEP), bounds)).isEmpty();
    }

    /// A directory cannot be taken out for its name alone.
    @Test
    void aScrubThatFindsAgainFails() throws IOException {
        put("srv/" + TOKEN + "/data", "x");
        assertThatThrownBy(() -> scrub(SCRUB)).isInstanceOfSatisfying(RedomaException.class, e -> {
            assertThat(e.code()).isEqualTo(Code.SCRUB_FAILED);
            assertThat(e.problem().toString()).doesNotContain(TOKEN);
        });
    }

    @Test
    void redactingChangesNothingElseOfAFile() throws IOException {
        Path file = put("srv/run.sh", "#!/bin/sh\ncurl -H 'Authorization: Bearer " + TOKEN + "' x\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x--x"));
        Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2020-01-02T03:04:05Z")));
        long size = Files.size(file);
        scrub(SCRUB);
        assertThat(Files.readString(file)).startsWith("#!/bin/sh\ncurl -H 'Authorization: ***").endsWith("*' x\n").hasSize((int) size);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rwxr-x--x");
        assertThat(Files.getLastModifiedTime(file).toInstant()).isEqualTo(Instant.parse("2020-01-02T03:04:05Z"));
    }

    @Test
    void secretsAcrossTheWindowsOfALongFileAreEachFoundOnceOnTheirLine() throws IOException {
        var text = new StringBuilder();
        var expected = new java.util.ArrayList<FoundCredential>();
        int line = 1;
        while (text.length() < 5 << 20) {
            int next = (text.length() / 65_521 + 1) * 65_521 - 17;
            while (text.length() + 16 < next) {
                text.append("0123456789abcde\n");
                line++;
            }
            text.append("T=").append(TOKEN).append('\n');
            expected.add(new FoundCredential("/srv/long.txt", "github-token", line++));
        }
        put("srv/long.txt", text.toString());
        assertThat(look().credentials()).isEqualTo(expected);
        scrub(SCRUB);
        assertThat(holding(TOKEN)).isEmpty();
        assertThat(Files.size(upper.resolve("srv/long.txt"))).isEqualTo(text.length());
    }

    /// Text made to keep the scanner busy: what took quadratic time would not come to an end here.
    @ParameterizedTest
    @ValueSource(strings = {"a", "token ", "token= ", "password\n", "-----BEGIN PRIVATE KEY", "eyJ-", "Z2hwX", "://a:", "ghp_", "Basic ", "secret_"})
    void textMadeToBlindTheScannerEndsInTime(String piece) throws IOException {
        put("home/user/.env", piece.repeat((1 << 20) / piece.length() - 1));
        put("home/user/.netrc", "password" + " ".repeat(1 << 19));
        put("home/user/last", "T=" + TOKEN);
        assertThat(look().credentials()).contains(new FoundCredential("/home/user/last", "github-token", 1));
    }

    @Test
    void ordinaryTextIsLeftAlone() throws IOException {
        put("srv/package-lock.json", "{\"integrity\": \"sha512-" + base64("not a secret but sixty-four bytes of a digest, as lockfiles have th") + "\"}");
        put("srv/app.js.map", "//# sourceMappingURL=data:application/json;base64," + base64("{\"version\":3,\"sources\":[\"a.ts\"],\"names\":[],\"mappings\":\"AAAA\"}"));
        put("srv/README.md", "postgres://user:${PASSWORD}@db/x, https://example.com:8080/a@b, Bearer <token>, password: see the vault\n"
                + "-----BEGIN CERTIFICATE-----\n" + KEY + "\n-----END CERTIFICATE-----\n-----BEGIN PUBLIC KEY-----\n" + KEY + "\n-----END PUBLIC KEY-----\n");
        put("srv/main.py", "token = get_token()\npassword = os.environ['PASSWORD']\ntask-runner-name-that-is-long-1 = 1\n");
        put("srv/.env.example", "API_KEY=\nPASSWORD=changeme\nTOKEN=${TOKEN}\nSECRET=<your-secret-here>\n");
        put("srv/uuid", "123e4567-e89b-12d3-a456-426614174000 " + "0123456789abcdef".repeat(4));
        assertThat(look().credentials()).isEmpty();
    }

    @Test
    void everyClassOfFilesIsToldApart() throws IOException {
        put("var/cache/apt/x", "1");
        put("home/user/.cache/pip/x", "1");
        put("home/user/.cache/mozilla/x", "1");
        put("home/user/.mozilla/firefox/p/places.sqlite", "1");
        put("tmp/x", "1");
        put("var/log/x", "1");
        put("srv/debug.log", "1");
        put("usr/local/lib/python3/site-packages/x.py", "1");
        put("srv/app/node_modules/a/index.js", "1");
        put("srv/app/main.c", "1");
        Manifest m = look();
        assertThat(m.of(ContentClass.CACHES).files()).isEqualTo(2);
        assertThat(m.of(ContentClass.BROWSER).files()).isEqualTo(2);
        assertThat(m.of(ContentClass.TEMPORARY).files()).isEqualTo(1);
        assertThat(m.of(ContentClass.LOGS).files()).isEqualTo(2);
        assertThat(m.of(ContentClass.PACKAGES).files()).isEqualTo(2);
        assertThat(m.of(ContentClass.OTHER).samples()).containsExactly("/srv/app/main.c");
        var all = Map.of(ContentClass.CACHES, Order.SCRUB, ContentClass.LOGS, Order.SCRUB, ContentClass.TEMPORARY, Order.SCRUB);
        assertThat(scrub(all).get(ContentClass.LOGS).files()).isEqualTo(2);
        assertThat(upper.resolve("tmp")).isEmptyDirectory();
        assertThat(upper.resolve("srv/app/main.c")).exists();
    }

    @Test
    void packagesOfThreeManagersAreTold(@TempDir Path lower) throws IOException {
        Files.createDirectories(lower.resolve("var/lib/dpkg"));
        Files.writeString(lower.resolve("var/lib/dpkg/status"), status("bash", "5.2", "old", "1.0", "same", "1"));
        put("var/lib/dpkg/status", status("bash", "5.3", "new", "2.0", "same", "1"));
        put("usr/lib/python3/dist-packages/requests-2.31.0.dist-info/METADATA", "");
        put("srv/app/node_modules/left-pad/package.json", "{\"name\": \"left-pad\", \"version\": \"1.3.0\"}");
        put("srv/app/node_modules/@scope/tool/package.json", "{\"version\": \"2.0.0\"}");
        put("srv/app/node_modules/left-pad/node_modules/inner/package.json", "{\"version\": \"9\"}");
        assertThat(Scrub.look(List.of(upper), List.of(lower), Bounds.STANDARD).packages()).containsExactlyInAnyOrder(
                new PackageChange("dpkg", "bash", "5.3", "changed"), new PackageChange("dpkg", "new", "2.0", "added"), new PackageChange("dpkg", "old", "1.0", "removed"),
                new PackageChange("pip", "requests", "2.31.0", "added"), new PackageChange("npm", "left-pad", "1.3.0", "added"),
                new PackageChange("npm", "@scope/tool", "2.0.0", "added"));
    }

    private static String status(String... pairs) {
        var text = new StringBuilder();
        for (int i = 0; i < pairs.length; i += 2) {
            text.append("Package: ").append(pairs[i]).append("\nStatus: install ok installed\nVersion: ").append(pairs[i + 1]).append("\n\n");
        }
        return text.toString();
    }

    @Test
    void ofJavasKeystoreTheEntriesOfThePlatformGoAndOthersStayAsTheyAre() throws Exception {
        var own = JavaKeystore.trusted("mine", new byte[] {1, 2, 3});
        var placed = List.of(JavaKeystore.trusted(JavaKeystore.alias(0), new byte[] {4}), JavaKeystore.trusted("redoma-root-7", new byte[] {5}), JavaKeystore.trusted(JavaKeystore.alias(1), new byte[] {6}));
        Path file = put("etc/ssl/certs/java/cacerts", "");
        Files.write(file, JavaKeystore.store(List.of(placed.get(0), own, placed.get(1), placed.get(2))));
        scrub(Map.of());
        assertThat(Files.readAllBytes(file)).isEqualTo(JavaKeystore.store(List.of(own)));
        Files.write(file, JavaKeystore.store(placed));
        scrub(Map.of());
        assertThat(file).doesNotExist();
        for (byte[] other : List.of(new byte[] {0x30, (byte) 0x82, 1}, new byte[0], "\u00fe\u00ed debian:redoma.pem".getBytes(StandardCharsets.ISO_8859_1))) {
            Files.write(file, other);
            scrub(Map.of());
            assertThat(file).hasBinaryContent(other);
        }
    }

    @Test
    void whatJavaWritesIsReadAndWhatIsWrittenJavaReads() throws Exception {
        var made = java.security.KeyStore.getInstance("JKS");
        made.load(null, null);
        var out = new java.io.ByteArrayOutputStream();
        made.store(out, "changeit".toCharArray());
        assertThat(JavaKeystore.read(out.toByteArray())).hasValue(List.of());
        assertThat(JavaKeystore.store(List.of())).isEqualTo(out.toByteArray());
        out.reset();
        made.store(out, "another".toCharArray());
        assertThat(JavaKeystore.read(out.toByteArray())).isEmpty();
    }
}
