// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// Files through E2B's daemon: calls, uploads and downloads, watches.
class EnvdFilesTest {
    private static RealServer server;
    private static EnvdClient envd;

    @BeforeAll
    static void start() throws Exception {
        server = RealServer.start(Map.of());
        envd = EnvdClient.create(server, "{\"templateID\":\"tiny\",\"timeout\":600}");
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static JsonNode fs(String method, String json) throws Exception {
        return envd.call("filesystem.Filesystem/" + method, json);
    }

    private static int status(String method, String json) throws Exception {
        return envd.unary("filesystem.Filesystem/" + method, json).statusCode();
    }

    private static String code(String method, String json) throws Exception {
        return EnvdClient.JSON.readTree(envd.unary("filesystem.Filesystem/" + method, json).body()).get("code").stringValue();
    }

    @Test
    void directoriesAreMadeListedMovedAndRemoved() throws Exception {
        var made = fs("MakeDir", "{\"path\":\"/home/user/tree/a/b\"}").get("entry");
        assertThat(made.get("type").stringValue()).isEqualTo("FILE_TYPE_DIRECTORY");
        assertThat(made.get("permissions").stringValue()).isEqualTo("drwxr-xr-x");
        assertThat(code("MakeDir", "{\"path\":\"/home/user/tree/a/b\"}")).isEqualTo("already_exists");
        assertThat(envd.run("echo x > tree/a/file; ln -s a/file tree/link; ln -s nowhere tree/dangling").end().get("exitCode").intValue()).isZero();
        assertThat(code("MakeDir", "{\"path\":\"tree/a/file\"}")).isEqualTo("invalid_argument");
        var names = fs("ListDir", "{\"path\":\"~/tree\",\"depth\":2}").get("entries").valueStream().map(e -> e.get("path").stringValue()).toList();
        assertThat(names).containsExactly("/home/user/tree/a", "/home/user/tree/a/b", "/home/user/tree/a/file", "/home/user/tree/dangling", "/home/user/tree/link");
        var link = fs("Stat", "{\"path\":\"tree/link\"}").get("entry");
        assertThat(link.get("type").stringValue()).isEqualTo("FILE_TYPE_FILE");
        assertThat(link.get("symlinkTarget").stringValue()).isEqualTo("/home/user/tree/a/file");
        assertThat(link.get("permissions").stringValue()).isEqualTo("Lrwxrwxrwx");
        assertThat(link.get("mode").intValue()).isEqualTo(0644);
        var dangling = fs("Stat", "{\"path\":\"tree/dangling\"}").get("entry");
        assertThat(dangling.get("type").stringValue()).isEqualTo("FILE_TYPE_UNSPECIFIED");
        assertThat(dangling.get("symlinkTarget").stringValue()).isEqualTo("/home/user/tree/dangling");
        assertThat(fs("Move", "{\"source\":\"tree/a/file\",\"destination\":\"tree/new/place/file\"}").get("entry").get("path").stringValue())
                .isEqualTo("/home/user/tree/new/place/file");
        assertThat(code("Move", "{\"source\":\"tree/a/file\",\"destination\":\"tree/x\"}")).isEqualTo("not_found");
        fs("Remove", "{\"path\":\"tree\"}");
        fs("Remove", "{\"path\":\"tree\"}");
        assertThat(status("Stat", "{\"path\":\"tree\"}")).isEqualTo(404);
        assertThat(code("ListDir", "{\"path\":\"/etc/passwd\"}")).isEqualTo("invalid_argument");
        assertThat(code("ListDir", "{\"path\":\"/nowhere\"}")).isEqualTo("not_found");
    }

    private static java.net.http.HttpResponse<String> compose(String json) throws Exception {
        return envd.send(envd.request("/files/compose").header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)));
    }

    @Test
    void filesAreComposedInTheirOrderAndGoneThen() throws Exception {
        assertThat(envd.run("mkdir -p parts && head -c 3000000 /dev/zero | tr '\\0' a > parts/1 && printf b > parts/2 && : > parts/3 && echo old > whole && chmod 600 whole").end().get("exitCode").intValue()).isZero();
        var refused = compose("{\"destination\":\"whole\",\"source_paths\":[\"parts/1\",\"parts/none\"]}");
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(404);
        assertThat(compose("{\"destination\":\"whole\",\"source_paths\":[\"parts/1\",\"~/whole\"]}").statusCode()).isEqualTo(400);
        assertThat(compose("{\"destination\":\"whole\",\"source_paths\":[\"parts\"]}").statusCode()).isEqualTo(400);
        assertThat(compose("{\"destination\":\"whole\",\"source_paths\":[]}").statusCode()).isEqualTo(400);
        assertThat(compose("{\"destination\":\"whole\",\"source_paths\":[\"parts/1\"],\"username\":\"nobodyhere\"}").statusCode()).isEqualTo(401);
        assertThat(envd.run("cat whole; ls parts").out()).isEqualTo("old\n1\n2\n3\n");
        var done = compose("{\"destination\":\"made/here/whole\",\"source_paths\":[\"parts/2\",\"/home/user/parts/1\",\"parts/3\",\"parts/2\"],\"later\":1}");
        assertThat(done.statusCode()).as(done.body()).isEqualTo(200);
        assertThat(EnvdClient.JSON.readTree(done.body())).isEqualTo(EnvdClient.JSON.readTree("{\"path\":\"/home/user/made/here/whole\",\"name\":\"whole\",\"type\":\"file\"}"));
        assertThat(envd.run("ls parts; tr -d a < made/here/whole; stat -c ' %s %U %a' made/here/whole").out()).isEqualTo("bb 3000002 user 644\n");
        var bare = envd.send(envd.bare("/files/compose").header("E2b-Sandbox-Id", envd.sandbox).header("E2b-Sandbox-Port", "49983").POST(BodyPublishers.ofString("{\"destination\":\"x\",\"source_paths\":[\"y\"]}")));
        assertThat(bare.statusCode()).isEqualTo(401);
    }

    @Test
    void bytesGoInAndComeOutWithTheirExactLength() throws Exception {
        var bytes = new byte[300_000];
        new java.util.Random(1).nextBytes(bytes);
        var put = envd.send(envd.request("/files?path=/home/user/blob").header("Content-Type", "application/octet-stream").POST(BodyPublishers.ofByteArray(bytes)));
        assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
        assertThat(EnvdClient.JSON.readTree(put.body())).isEqualTo(EnvdClient.JSON.readTree("[{\"path\":\"/home/user/blob\",\"name\":\"blob\",\"type\":\"file\"}]"));
        var got = server.client().send(envd.request("/files?path=blob").GET().build(), BodyHandlers.ofByteArray());
        assertThat(got.body()).isEqualTo(bytes);
        assertThat(got.headers().firstValueAsLong("Content-Length")).hasValue(300_000);
        var part = server.client().send(envd.request("/files?path=blob").header("Range", "bytes=100-199").GET().build(), BodyHandlers.ofByteArray());
        assertThat(part.statusCode()).isEqualTo(206);
        assertThat(part.body()).isEqualTo(java.util.Arrays.copyOfRange(bytes, 100, 200));
        assertThat(part.headers().firstValue("Content-Range")).hasValue("bytes 100-199/300000");
        var zipped = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(zipped)) {
            gzip.write(bytes);
        }
        assertThat(envd.send(envd.request("/files?path=unzipped").header("Content-Type", "application/octet-stream").header("Content-Encoding", "gzip")
                .POST(BodyPublishers.ofByteArray(zipped.toByteArray()))).statusCode()).isEqualTo(200);
        assertThat(envd.run("cmp blob unzipped && echo same").out()).isEqualTo("same\n");
    }

    @Test
    void anEmptyFileHasALengthAndAPseudoFileItsContent() throws Exception {
        envd.run(": > empty");
        var empty = envd.send(envd.request("/files?path=empty").GET());
        assertThat(empty.headers().firstValueAsLong("Content-Length")).hasValue(0);
        assertThat(envd.send(envd.request("/files?path=/proc/sys/kernel/ostype").GET()).body()).isEqualTo("Linux\n");
    }

    @Test
    void whatIsNoFileIsRefusedByKind() throws Exception {
        assertThat(envd.send(envd.request("/files?path=/nowhere").GET()).statusCode()).isEqualTo(404);
        var directory = envd.send(envd.request("/files?path=/etc").GET());
        assertThat(directory.statusCode()).isEqualTo(400);
        assertThat(EnvdClient.JSON.readTree(directory.body()).get("code").intValue()).isEqualTo(400);
        assertThat(envd.send(envd.request("/files?path=/etc/passwd&username=ghost").GET()).statusCode()).isEqualTo(401);
        assertThat(envd.send(envd.request("/files?path=/etc/passwd").header("Accept-Encoding", "identity;q=0, br").GET()).statusCode()).isEqualTo(406);
    }

    @Test
    void aFormCarriesSeveralFilesWithOddNames() throws Exception {
        var body = "--b0\r\nContent-Disposition: form-data; name=\"file\"; filename=\"/home/user/fo%22rm/ü 1.txt\"\r\nContent-Type: text/plain\r\n\r\none\r\n--b0\r\n"
                + "Content-Disposition: form-data; name=\"other\"\r\n\r\nignored\r\n--b0\r\n"
                + "Content-Disposition: form-data; name=\"file\"; filename=\"/home/user/two\"\r\n\r\n\r\n--b\r\n-two\r\n--b0--";
        var answer = envd.send(envd.request("/files").header("Content-Type", "multipart/form-data; boundary=b0").POST(BodyPublishers.ofString(body)));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(envd.run("cat 'fo\"rm/ü 1.txt'; od -c two | head -1").out()).startsWith("one0000000  \\r  \\n   -   -   b");
        var one = "--b0\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nnamed by the query\r\n--b0--\r\n";
        assertThat(envd.send(envd.request("/files?path=third").header("Content-Type", "multipart/form-data; boundary=b0").POST(BodyPublishers.ofString(one))).statusCode())
                .isEqualTo(200);
        assertThat(envd.run("cat third").out()).isEqualTo("named by the query");
        var twice = body.replace("/home/user/two", "/home/user/./fo%22rm/ü 1.txt");
        assertThat(envd.send(envd.request("/files").header("Content-Type", "multipart/form-data; boundary=b0").POST(BodyPublishers.ofString(twice))).statusCode()).isEqualTo(400);
        var cut = envd.send(envd.request("/files").header("Content-Type", "multipart/form-data; boundary=b0")
                .POST(BodyPublishers.ofString("--b0\r\nContent-Disposition: form-data; name=\"file\"; filename=\"/home/user/cut\"\r\n\r\nhalf")));
        assertThat(cut.statusCode()).isEqualTo(400);
        assertThat(status("Stat", "{\"path\":\"cut\"}")).isEqualTo(404);
    }

    @Test
    void metadataIsKeptAsAttributesAndReplacedByEachWrite() throws Exception {
        var first = envd.send(envd.request("/files?path=meta").header("Content-Type", "application/octet-stream").header("X-Metadata-Source", "a").header("X-Metadata-Kind", "b")
                .POST(BodyPublishers.ofString("1")));
        assertThat(EnvdClient.JSON.readTree(first.body()).get(0).get("metadata").toString()).isEqualTo("{\"kind\":\"b\",\"source\":\"a\"}");
        assertThat(fs("Stat", "{\"path\":\"meta\"}").get("entry").get("metadata").get("source").stringValue()).isEqualTo("a");
        envd.send(envd.request("/files?path=meta").header("Content-Type", "application/octet-stream").header("X-Metadata-Kind", "c").POST(BodyPublishers.ofString("2")));
        assertThat(fs("Stat", "{\"path\":\"meta\"}").get("entry").get("metadata").toString()).isEqualTo("{\"kind\":\"c\"}");
    }

    @Test
    void aSignedAddressNeedsNoTokenAndNoRoute() throws Exception {
        envd.run("echo secret > signed");
        var query = "path=signed&signature=" + sign("signed:read::" + envd.token);
        assertThat(envd.send(envd.bare("/files?" + query).GET()).body()).isEqualTo("secret\n");
        assertThat(envd.send(envd.to(49_983, "/files?" + query).GET()).body()).isEqualTo("secret\n");
        assertThat(envd.send(envd.to(49_983, "/files?path=signed").GET()).statusCode()).isEqualTo(401);
        assertThat(envd.send(envd.to(49_983, "/files?path=/etc/passwd&signature=" + sign("signed:read::" + envd.token)).GET()).statusCode()).isEqualTo(401);
        long past = Instant.now().getEpochSecond() - 5;
        var old = envd.send(envd.bare("/files?path=signed&signature_expiration=" + past + "&signature=" + sign("signed:read::" + envd.token + ":" + past)).GET());
        assertThat(old.statusCode()).isEqualTo(401);
        assertThat(old.body()).contains("expired");
        var upload = envd.send(envd.bare("/files?path=up&signature=" + sign("up:write::" + envd.token)).header("Content-Type", "application/octet-stream").POST(BodyPublishers.ofString("put")));
        assertThat(upload.statusCode()).as(upload.body()).isEqualTo(200);
        assertThat(envd.run("cat up").out()).isEqualTo("put");
    }

    @Test
    void tryingSignaturesIsLimited() throws Exception {
        int refused = 0;
        for (int i = 0; i < 60; i++) {
            refused += envd.send(envd.bare("/files?path=x&signature=v1_" + i).GET()).body().contains("too many") ? 1 : 0;
        }
        assertThat(refused).isPositive();
    }

    @Test
    void aWatchTellsWhatHappenedAsAStreamAndWhenAsked() throws Exception {
        envd.run("mkdir -p watched/deep");
        var id = fs("CreateWatcher", "{\"path\":\"watched\",\"recursive\":true}").get("watcherId").stringValue();
        try (var stream = envd.stream("filesystem.Filesystem/WatchDir", "{\"path\":\"/home/user/watched\",\"recursive\":true,\"includeEntry\":true}")) {
            assertThat(stream.next().has("start")).isTrue();
            envd.run("echo 1 > watched/deep/one; mv watched/deep/one watched/two; rm watched/two");
            var told = new StringBuilder();
            while (told.indexOf("EVENT_TYPE_REMOVE two") < 0) {
                var event = stream.next().get("filesystem");
                told.append(event.get("type").stringValue()).append(' ').append(event.get("name").stringValue()).append('\n');
            }
            assertThat(told.toString()).contains("EVENT_TYPE_CREATE deep/one").contains("EVENT_TYPE_WRITE deep/one").contains("EVENT_TYPE_RENAME deep/one\nEVENT_TYPE_CREATE two");
        }
        assertThat(fs("GetWatcherEvents", "{\"watcherId\":\"" + id + "\"}").toString()).contains("EVENT_TYPE_REMOVE");
        fs("RemoveWatcher", "{\"watcherId\":\"" + id + "\"}");
        assertThat(code("GetWatcherEvents", "{\"watcherId\":\"" + id + "\"}")).isEqualTo("not_found");
        assertThat(envd.stream("filesystem.Filesystem/WatchDir", "{\"path\":\"/nowhere\"}").all().error().get("code").stringValue()).isEqualTo("not_found");
    }

    @Test
    void aBrowserMayAskFromAnywhere() throws Exception {
        var preflight = envd.send(envd.to(49_983, "/files?path=x").header("Access-Control-Request-Headers", "x-access-token").method("OPTIONS", BodyPublishers.noBody()));
        assertThat(preflight.statusCode()).isEqualTo(204);
        assertThat(preflight.headers().firstValue("Access-Control-Allow-Origin")).hasValue("*");
        assertThat(preflight.headers().firstValue("Access-Control-Allow-Headers")).hasValue("x-access-token");
        assertThat(envd.send(envd.request("/files?path=/nowhere").GET()).headers().firstValue("Access-Control-Allow-Origin")).hasValue("*");
    }

    private static String sign(String text) throws Exception {
        var hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        return java.net.URLEncoder.encode("v1_" + Base64.getEncoder().withoutPadding().encodeToString(hash), StandardCharsets.UTF_8);
    }
}
