// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Files that come with a recipe, honest and hostile, by the command line and over the wire.
@Timeout(180)
@ExtendWith(LabExtension.class)
class BuildFilesTest {
    private static final String TAR = "application/x-tar";

    private final Lab lab;

    @TempDir
    private Path dir;

    BuildFilesTest(Lab lab) {
        this.lab = lab;
    }

    @AfterEach
    void remove() {
        lab.api().delete("/v1/templates/files");
    }

    private Path put(String name, String content) throws IOException {
        var file = dir.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    private Redoma.Result build(String... more) throws Exception {
        var args = new java.util.ArrayList<>(java.util.List.of("template", "build", dir.toString(), "--name", "files"));
        args.addAll(java.util.List.of(more));
        return Redoma.of(lab).call(args.toArray(String[]::new));
    }

    private String inside(String script) {
        try (var box = Box.create(lab.api(), Map.of("template", "files"))) {
            return box.sh(script).text();
        }
    }

    @Test
    void copyDoesWithFilesWhatDockerDoes() throws Exception {
        put("app/run.sh", "echo run\n");
        Files.setPosixFilePermissions(dir.resolve("app/run.sh"), PosixFilePermissions.fromString("rwxr-x---"));
        put("app/sub/deep", "deep");
        Files.createSymbolicLink(dir.resolve("app/link"), Path.of("sub/deep"));
        put("a.conf", "a");
        put("b.conf", "b");
        put("out.log", "never");
        put(".dockerignore", "*.log\n**/deep\n!app/sub/deep\nDockerfile\n");
        put("Dockerfile", """
                FROM tiny
                ARG WHO=1234
                RUN echo 'app:x:1234:77::/home/app:/bin/sh' >> /etc/passwd; ln -s srv /lnk; mkdir /srv
                WORKDIR /srv/w
                COPY app data
                COPY --chown=app --chmod=640 *.conf /lnk/conf/
                COPY --chown=$WHO:9 ["a.conf", "renamed"]
                ADD b.conf /tmp
                COPY . /all
                """);
        var result = build();
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.err()).contains("step 1/9 FROM tiny").contains("step 9/9 COPY . /all");
        assertThat(inside("""
                cd /srv/w; stat -c '%n %a %U %g' data/run.sh data/sub/deep ../conf ../conf/a.conf ../conf/b.conf renamed /tmp/b.conf; readlink data/link; cat data/link; echo; ls -A /all
                """)).isEqualTo("""
                data/run.sh 750 root 0
                data/sub/deep 644 root 0
                ../conf 755 app 77
                ../conf/a.conf 640 app 77
                ../conf/b.conf 640 app 77
                renamed 644 app 9
                /tmp/b.conf 644 root 0
                sub/deep
                deep
                .dockerignore
                a.conf
                app
                b.conf
                """);
    }

    @Test
    void aChangedFileMakesItsStepAnewAndAChangedTimeDoesNot() throws Exception {
        put("x", "1");
        put("Dockerfile", "FROM tiny\nRUN echo before\nCOPY x /x\nRUN cp /x /y\n");
        assertThat(build().code()).isZero();
        Files.setLastModifiedTime(dir.resolve("x"), java.nio.file.attribute.FileTime.fromMillis(1_000_000_000L));
        assertThat(build().err().split("cached\n", -1)).hasSize(4);
        put("x", "2");
        assertThat(build().err().split("cached\n", -1)).hasSize(2);
        assertThat(inside("cat /y")).isEqualTo("2");
    }

    @Test
    void aFailingBuildSaysSoAndHasItsCode() throws Exception {
        put("recipe.yaml", "from: tiny\nsteps:\n  - run: echo was here\n  - run: [sh, -c, 'echo oh no; exit 9']\n");
        var result = build();
        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("oh no\n").contains("Step 3 of 3 failed, exit code 9");
        put("recipe.yaml", "from: tiny\nstepz: []\n");
        var unknown = build();
        assertThat(unknown.err()).contains("line 2, column 1").contains("unknown key 'stepz'");
        assertThat(lab.api().get("/v1/templates/files").status()).isEqualTo(404);
    }

    @Test
    void aRecipeOfOursSetsEverythingThatASandboxGets() throws Exception {
        put("f", "content");
        put("recipe.yaml", """
                from: tiny
                args: {V: '7'}
                env: {A: 'a ${V}', 'B': "it's"}
                workdir: /srv/app
                steps:
                  - run: echo $A > made; pwd >> made
                  - copy: {from: f, to: ./, owner: '5:6', mode: '0600'}
                  - run: [cp, made, again]
                  - user: '1234'
                labels: {team: x}
                """);
        var result = build("--build-arg", "V=8", "--tag", "v1");
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(inside("cat /srv/app/again; pwd; id -u; echo \"$A $B\"; stat -c '%u %g %a' f")).isEqualTo("a 8\n/srv/app\n/srv/app\n1234\na 8 it's\n5 6 600\n");
        try (var box = Box.create(lab.api(), Map.of("template", "files:v1"))) {
            assertThat(box.sh("env | grep -c '^V='").text()).isEqualTo("0\n");
        }
    }

    // --- hostile files

    private Api.Answer upload(String dockerfile, byte[]... members) {
        var all = new byte[members.length + 1][];
        all[0] = Tars.file("Dockerfile", dockerfile.getBytes(UTF_8));
        System.arraycopy(members, 0, all, 1, members.length);
        return lab.api().send(lab.api().request("/v1/templates/files/builds").header("Content-Type", TAR)
                .POST(java.net.http.HttpRequest.BodyPublishers.ofByteArray(Tars.join(all))).build());
    }

    private tools.jackson.databind.JsonNode failed(String dockerfile, byte[]... members) {
        var build = Building.ended(lab.api(), upload(dockerfile, members).expect(202).json());
        assertThat(build.get("state").asString()).as(build.toString()).isEqualTo("failed");
        return build.get("error");
    }

    @Test
    void nothingLeadsOutOfTheFilesOfABuild() {
        for (var copy : java.util.List.of("COPY ../etc/passwd /x", "COPY a/../../etc/passwd /x", "COPY /etc/passwd /x", "COPY link /x", "COPY up /x", "COPY dir/passwd /x", "COPY none* /x")) {
            var error = failed("FROM tiny\n" + copy + "\n", Tars.symlink("link", "/etc/passwd"), Tars.symlink("up", "../../../../etc/passwd"),
                    Tars.symlink("dir", "/etc"), Tars.symlink("loop", "loop"));
            assertThat(error.get("code").asString()).as(copy).isEqualTo("recipe-refused");
            assertThat(error.get("details").get("line").asInt()).isEqualTo(2);
        }
        assertThat(failed("FROM tiny\nCOPY loop /x\n", Tars.symlink("loop", "loop")).get("detail").asString()).contains("links");
    }

    @Test
    void hostileArchivesAreRefusedByMember() {
        for (var member : java.util.List.of(Tars.file("../out"), Tars.device("dev"), Tars.hardlink("h", "/etc/passwd"), Tars.hardlink("h", "nothing"))) {
            var answer = upload("FROM tiny\n", member);
            assertThat(answer.status()).isEqualTo(422);
            assertThat(answer.code()).isEqualTo("archive-refused");
            assertThat(answer.json().get("details").has("member")).isTrue();
        }
        assertThat(upload("FROM tiny\n", Tars.symlink("d", "/etc"), Tars.file("d/passwd")).code()).isEqualTo("archive-refused");
        assertThat(lab.api().send(lab.api().request("/v1/templates/files/builds").header("Content-Type", TAR)
                .POST(java.net.http.HttpRequest.BodyPublishers.ofByteArray(new byte[] {1, 2, 3})).build()).status()).isEqualTo(422);
    }

    // --- archives that ADD unpacks

    private static byte[] tree() {
        return new LayerTar().dir("top", 0750, 7).member('0', "top/tool", 04755, 1234, "", "tool".getBytes(UTF_8)).file("top/plain", "plain")
                .symlink("top/link", "plain").hardlink("top/same", "top/plain").dir("top/empty").bytes();
    }

    @Test
    void addUnpacksArchivesAsDockerDoesAndCopyLeavesThemPacked() {
        var gzip = TestImage.gzip(tree());
        var zstd = com.github.luben.zstd.Zstd.compress(tree());
        var build = Building.ended(lab.api(), upload("""
                FROM tiny
                ADD a.tar /plain
                ADD b.tar.gz c.dat note /both/
                WORKDIR /w
                ADD b.tar.gz .
                ADD text.gz /text/
                COPY b.tar.gz /packed
                """, Tars.file("a.tar", tree()), Tars.file("b.tar.gz", gzip), Tars.file("c.dat", zstd), Tars.file("note"), Tars.file("text.gz", TestImage.gzip("just text".getBytes(UTF_8)))).expect(202).json());
        assertThat(build.get("state").asString()).as(build.toString()).isEqualTo("ready");
        assertThat(inside("""
                for d in /plain /both /w; do cd $d; stat -c '%n %a %u' top top/tool; cat top/same top/link; stat -c %h top/plain; readlink top/link; ls -A top/empty; done
                ls /both; cat /text/text.gz | gunzip; echo; head -c 2 /packed | od -An -tx1
                """)).isEqualTo("top 750 7\ntop/tool 4755 1234\nplainplain2\nplain\n".repeat(3) + "note\ntop\njust text\n 1f 8b\n");
    }

    @Test
    void hostileArchivesOfAddAreRefusedByMemberAndNothingIsBuilt() {
        for (var member : java.util.List.of(Tars.file("../out"), Tars.file("/abs"), Tars.device("dev"), Tars.hardlink("h", "/etc/passwd"))) {
            var error = failed("FROM tiny\nADD x.tar /d/\n", Tars.file("x.tar", Tars.join(Tars.file("good"), member)));
            assertThat(error.get("code").asString()).as(error.toString()).isEqualTo("archive-refused");
            assertThat(error.get("details").get("archive").asString()).isEqualTo("x.tar");
            assertThat(error.get("details").has("member")).as(error.toString()).isTrue();
            assertThat(error.get("details").get("line").asInt()).isEqualTo(2);
        }
        assertThat(failed("FROM tiny\nADD x.tar /d/\n", Tars.file("x.tar", Tars.join(Tars.symlink("l", "/etc"), Tars.file("l/passwd")))).get("code").asString()).isEqualTo("archive-refused");
        assertThat(failed("FROM tiny\nADD x.tar.xz /d/\n", Tars.file("x.tar.xz", new byte[] {(byte) 0xfd, '7', 'z', 'X', 'Z', 0})).get("detail").asString()).contains("xz");
        assertThat(failed("FROM tiny\nADD --chown=5 x.tar /d/\n", Tars.file("x.tar", tree())).get("detail").asString()).contains("--chown");
        assertThat(upload("FROM tiny\nADD https://files.example/x.tar /d\n").expect(422).json().get("detail").asString()).contains("https://files.example/x.tar");
        assertThat(lab.api().get("/v1/templates/files").status()).isEqualTo(404);
    }

    @Test
    void oddNamesAreCopiedAsTheyAre() {
        var build = Building.ended(lab.api(), upload("FROM tiny\nCOPY d /d\n", Tars.file("d/new\nline"), Tars.file("d/ü"), Tars.file("d/ -x")).expect(202).json());
        assertThat(build.get("state").asString()).as(build.toString()).isEqualTo("ready");
        assertThat(inside("cd /d; for f in *; do echo \"[$f]\"; done")).isEqualTo("[ -x]\n[new\nline]\n[ü]\n");
    }

    @Test
    void absurdRecipesAreRefusedByLine() {
        var many = new StringBuilder("FROM tiny\n");
        for (int i = 0; i < 20_000; i++) {
            many.append("RUN true\n");
        }
        var answer = upload(many.toString());
        assertThat(answer.code()).isEqualTo("recipe-refused");
        assertThat(answer.json().get("details").get("line").asInt()).isEqualTo(501);
        assertThat(upload("FROM tiny\nRUN " + "x".repeat(200_000) + "\n").code()).isEqualTo("recipe-refused");
        assertThat(upload("FROM tiny\nENV A=" + "${A:-".repeat(5000) + "\n").expect(202).status()).isEqualTo(202);
        assertThat(upload("FROM tiny\nRUN a\0b\n").code()).isEqualTo("recipe-refused");
        assertThat(upload("x".repeat(2 << 20)).code()).isEqualTo("recipe-refused");
        assertThat(failed("FROM tiny\nADD packed.tgz /x\n", Tars.file("packed.tgz", new byte[] {0x1f, (byte) 0x8b, 8, 0})).get("detail").asString()).contains("archive");
    }
}
