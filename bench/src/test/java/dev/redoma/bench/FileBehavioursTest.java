// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Section 3 of the behaviours: files, over the wire, in real sandboxes.
@ExtendWith(LabExtension.class)
@Timeout(120)
class FileBehavioursTest {
    private static Box box;
    private static Box base;

    @BeforeAll
    static void sandbox(Lab lab) {
        box = lab.tiny();
        base = lab.base();
    }

    @AfterAll
    static void end() {
        box.close();
        base.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4095, 4096, 18_433, 65_537, (1 << 20) + 1, 100 << 20})
    void fi01_fi02_filesOfAnySizeArriveAndComeBackWhole(int size) throws Exception {
        var bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        assertThat(box.write("/tmp/sized", bytes).get("size").asLong()).isEqualTo(size);
        assertThat(box.run(List.of("sha256sum", "/tmp/sized")).text()).startsWith(ExecBehavioursTest.sha256(bytes));
        assertThat(ExecBehavioursTest.sha256(box.read("/tmp/sized"))).isEqualTo(ExecBehavioursTest.sha256(bytes));
    }

    @Test
    void aLargeFileIsReplacedWholeAndNothingStaysBesideIt() throws Exception {
        for (int round = 0; round < 3; round++) {
            var bytes = new byte[(17 << 20) + round];
            new Random(round).nextBytes(bytes);
            box.write("/var/tmp/large/f", bytes);
            assertThat(box.run(List.of("sha256sum", "/var/tmp/large/f")).text()).startsWith(ExecBehavioursTest.sha256(bytes));
            assertThat(box.run(List.of("ls", "-A", "/var/tmp/large")).text()).isEqualTo("f\n");
        }
    }

    @Test
    void fi03_everyByteValueSurvives() throws Exception {
        var bytes = new byte[256 * 4096];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i % 256);
        }
        box.write("/tmp/all", bytes);
        assertThat(ExecBehavioursTest.sha256(box.read("/tmp/all"))).isEqualTo(ExecBehavioursTest.sha256(bytes));
    }

    @Test
    void fi05_namesOutsideAsciiKeepTheirNameInTheDownload() {
        box.write("/tmp/Ærlig ☕.txt", "x".getBytes(UTF_8));
        var answer = box.tryRead("/tmp/Ærlig ☕.txt").expect(200);
        assertThat(answer.headers().firstValue("content-disposition").orElse("")).contains("filename*=UTF-8''%C3%86rlig%20%E2%98%95.txt");
        assertThat(box.names("/tmp")).anyMatch(n -> n.endsWith("Ærlig ☕.txt"));
    }

    @Test
    void fi06_filesOfTheApiBelongToTheUserOfCommands() {
        base.write("/tmp/x", "a\n".getBytes(UTF_8));
        assertThat(base.sh("echo b >> /tmp/x && cat /tmp/x").text()).isEqualTo("a\nb\n");
        base.sh("echo shell > /tmp/y");
        base.write("/tmp/y", "api\n".getBytes(UTF_8));
        assertThat(base.sh("cat /tmp/y").text()).isEqualTo("api\n");
        assertThat(base.sh("[ \"$(stat -c %U /tmp/x)\" = \"$(whoami)\" ] && echo same").text()).isEqualTo("same\n");
        base.write("/tmp/z", "r".getBytes(UTF_8), "user", "root");
        assertThat(base.sh("stat -c %U /tmp/z").text()).isEqualTo("root\n");
    }

    @Test
    void fi09_bothFormsOfAPathAreTheSameRoute() {
        assertThat(box.api().get(box.path("/files/list/?path=/")).status()).isEqualTo(200);
        assertThat(box.api().get(box.path("/files/list?path=/")).status()).isEqualTo(200);
        assertThat(box.api().get(box.path("/")).status()).isEqualTo(200);
    }

    @Test
    void fi13_archivesThatPointOutsideAreRefusedNamingTheMemberAndWriteNothingOutside() {
        for (var hostile : Map.of("abs", Tars.file("/etc/evil"), "dotdot", Tars.file("../../etc/evil"), "hard", Tars.hardlink("leak", "../../etc/passwd"),
                "device", Tars.device("null"), "through", Tars.join(Tars.symlink("out", "/etc"), Tars.file("out/evil"))).entrySet()) {
            var answer = box.api().put(box.path("/archive?path=/tmp/in-" + hostile.getKey()), hostile.getValue(), "application/x-tar");
            assertThat(answer.status()).as(hostile.getKey()).isEqualTo(422);
            assertThat(answer.code()).isEqualTo("archive-refused");
        }
        assertThat(box.tryRead("/etc/evil").status()).isEqualTo(404);
    }

    @Test
    void fi17_modesLinksEmptyDirectoriesAndTimesSurviveTheWayInAndOut() throws Exception {
        box.sh("mkdir -p /tmp/tree/empty; cd /tmp/tree; for m in 755 644 600 444; do echo $m > f$m; chmod $m f$m; done; ln -s f644 link; touch -d '2020-02-03 04:05:06' f644");
        var tar = box.api().get(box.path("/archive?path=/tmp/tree")).expect(200).bytes();
        box.api().put(box.path("/archive?path=/tmp/copy"), tar, "application/x-tar").expect(204);
        var listing = "cd %s; find . -exec stat -c '%%n %%a %%F' {} + | sort; readlink link; stat -c %%Y f644";
        assertThat(box.sh(listing.formatted("/tmp/copy")).text()).isEqualTo(box.sh(listing.formatted("/tmp/tree")).text()).contains("f444 444");
    }

    @Test
    void fi18_aRecursiveWatchTellsEveryPathUnderItsFinalName() throws Exception {
        box.sh("mkdir -p /tmp/w");
        var answer = box.api().open(box.api().request(box.path("/files/watch?path=/tmp/w&recursive=true")).GET().build());
        assertThat(answer.statusCode()).isEqualTo(200);
        try (var lines = new BufferedReader(new InputStreamReader(answer.body(), UTF_8))) {
            while (!"event: ready".equals(lines.readLine())) {}
            box.sh("cd /tmp/w; mkdir -p a/b/c; echo 1 > a/b/c/f; sleep 0.3; mv a/b a/B; sleep 0.3; echo 2 >> a/B/c/f; echo t > .tmp; mv .tmp g; sleep 0.3; cd /; rm -r /tmp/w");
            var events = new ArrayList<String>();
            for (String line; (line = lines.readLine()) != null && !line.contains("root-removed"); ) {
                if (line.startsWith("data:") && line.contains("kind")) {
                    events.add(line);
                }
            }
            assertThat(events).anyMatch(e -> e.contains("a/b/c/f"))
                    .anyMatch(e -> e.contains("rename") && e.contains("a/B"))
                    .anyMatch(e -> e.contains("write") && e.contains("a/B/c/f"))
                    .anyMatch(e -> e.contains("\"g\""));
        }
    }

    @Test
    void aRangeIsTheBytesAskedFor() {
        box.write("/tmp/r", "0123456789".getBytes(UTF_8));
        var answer = box.api().send(box.api().request(box.path("/files?path=/tmp/r")).header("Range", "bytes=2-4").GET().build());
        assertThat(answer.status()).isEqualTo(206);
        assertThat(answer.text()).isEqualTo("234");
        assertThat(answer.headers().firstValue("content-range")).contains("bytes 2-4/10");
        assertThat(box.api().send(box.api().request(box.path("/files?path=/tmp/r")).header("Range", "bytes=20-").GET().build()).status()).isEqualTo(416);
    }

    @Test
    void whatIsNoFileIsRefusedAtOnce() {
        box.sh("mkfifo /tmp/fifo; mkdir -p /tmp/dir; ln -sf /tmp/loop /tmp/loop");
        for (var path : List.of("/tmp/fifo", "/tmp/dir", "/dev/zero")) {
            var answer = box.tryRead(path);
            assertThat(answer.status()).as(path).isEqualTo(422);
            assertThat(answer.code()).isEqualTo("file-refused");
        }
        assertThat(box.tryRead("/tmp/loop").status()).isIn(404, 422);
        assertThat(box.tryRead("/tmp/none").code()).isEqualTo("file-not-found");
    }

    @Test
    void verbsOnFilesDoWhatTheySay() {
        box.api().post(box.path("/files/mkdir"), Map.of("path", "/tmp/v/w", "mode", "0750")).expect(200);
        box.write("/tmp/v/a", "1".getBytes(UTF_8));
        box.api().post(box.path("/files/move"), Map.of("from", "/tmp/v/a", "to", "/tmp/v/w/b")).expect(204);
        assertThat(box.read("/tmp/v/w/b")).isEqualTo("1".getBytes(UTF_8));
        box.api().post(box.path("/files/attributes"), Map.of("path", "/tmp/v/w/b", "mode", "0600")).expect(200);
        assertThat(box.stat("/tmp/v/w/b").get("mode").asString()).isEqualTo("0600");
        assertThat(box.api().delete(box.path("/files?path=/tmp/v")).status()).isIn(409, 422);
        box.api().delete(box.path("/files?path=/tmp/v&recursive=true")).expect(204);
        assertThat(box.tryRead("/tmp/v/w/b").status()).isEqualTo(404);
    }

    @Test
    void theChangeSetNamesWhatWasAddedChangedAndDeleted(Lab lab) {
        try (var fresh = lab.tiny()) {
            fresh.sh("echo new > /root/added; echo changed >> /etc/passwd; rm /etc/hostname-of-template; chmod 0600 /etc/group");
            var changes = new ArrayList<String>();
            fresh.api().get(fresh.path("/changes")).expect(200).json().get("items")
                    .forEach(c -> changes.add(c.get("kind").asString() + " " + c.get("path").asString()));
            assertThat(changes).contains("added /root/added", "changed /etc/passwd", "deleted /etc/hostname-of-template", "mode /etc/group");
            assertThat(changes).noneMatch(c -> c.contains("/proc") || c.contains("/run/redoma"));
        }
    }

    @Test
    void anUploadThatBreaksOffLeavesTheOldFile() throws Exception {
        box.write("/tmp/keep", "old".getBytes(UTF_8));
        var port = box.api().base().getPort();
        try (var socket = new java.net.Socket("127.0.0.1", port)) {
            socket.getOutputStream().write(("PUT " + box.path("/files?path=/tmp/keep") + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                    + box.api().key() + "\r\nContent-Length: 1000000\r\nContent-Type: application/octet-stream\r\n\r\nhalf").getBytes(UTF_8));
            Thread.sleep(300);
        }
        Thread.sleep(500);
        assertThat(box.read("/tmp/keep")).isEqualTo("old".getBytes(UTF_8));
        assertThat(Arrays.asList(box.sh("ls -A /tmp").text().split("\n"))).noneMatch(n -> n.contains("keep") && !n.equals("keep"));
    }
}
