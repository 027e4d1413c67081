// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Files and archives on the way in and out, over the wire: of a sandbox (through its guest) and of a volume (by the host) alike.
@ExtendWith(LabExtension.class)
@Timeout(180)
class ArchiveBehavioursTest {
    private static final String VOLUME = "archives";
    private static Lab lab;
    private static Box box;

    @TempDir
    Path local;

    @BeforeAll
    static void prepare(Lab shared) {
        lab = shared;
        lab.api().post("/v1/volumes", Map.of("name", VOLUME, "sizeBytes", 256 << 20)).expect(201);
        box = lab.base(Map.of("volumes", List.of(Map.of("name", VOLUME, "path", "/seen", "readOnly", true))));
    }

    @AfterAll
    static void end() {
        box.close();
        lab.api().delete("/v1/volumes/" + VOLUME).expect(204);
    }

    /// Where files are: the route, a directory of a test's own there, and how the sandbox sees it.
    record Place(String route, String dir, String seen, String cli) {
        String files(String verb, String path) {
            return route + "/files" + verb + "?path=" + Api.encode(dir + path);
        }

        String archive(String path) {
            return route + "/archive?path=" + Api.encode(dir + path);
        }

        @Override
        public String toString() {
            return cli;
        }
    }

    static List<Place> places() {
        return List.of(new Place("/v1/sandboxes/" + box.id(), "/tmp/place", "/tmp/place", box.id()), new Place("/v1/volumes/" + VOLUME, "/place", "/seen/place", "volume/" + VOLUME));
    }

    private static void clear(Place place) {
        lab.api().delete(place.files("", "") + "&recursive=true");
        lab.api().post(place.route() + "/files/mkdir", Map.of("path", place.dir())).expect(200);
    }

    private static String look(Place place, String path) {
        return box.sh("cd " + place.seen() + path + " 2>/dev/null && find . -mindepth 1 -printf '%P %y %m %l %s ' -exec stat -c %y {} \\; | grep -v '^[^ ]* d [^ ]* [^ ]* [^ ]* .*$' | sort;"
                + " find . -mindepth 1 -type d -printf '%P %m %TY-%Tm-%Td %TT\\n' | sort", "user", "root").text();
    }

    @ParameterizedTest
    @MethodSource("places")
    void filesOfASandboxAndOfAVolumeHaveTheSameVerbs(Place place) throws Exception {
        clear(place);
        var bytes = new byte[300_000];
        new java.util.Random(1).nextBytes(bytes);
        assertThat(lab.api().put(place.files("", "/a/b/f"), bytes, "application/octet-stream").expect(200).json().get("size").asInt()).isEqualTo(bytes.length);
        assertThat(box.run(List.of("sha256sum", place.seen() + "/a/b/f")).text()).startsWith(ExecBehavioursTest.sha256(bytes));
        assertThat(box.sh("stat -c '%u %a' " + place.seen() + "/a/b/f").text()).as("the user of commands owns it").isEqualTo("1000 644\n");
        lab.api().put(place.files("", "/a/b/f") + "&mode=0600", "new".getBytes(UTF_8), "application/octet-stream").expect(200);
        assertThat(lab.api().get(place.files("", "/a/b/f")).expect(200).text()).isEqualTo("new");
        var stat = lab.api().get(place.files("/stat", "/a/b/f")).expect(200).json();
        assertThat(stat.get("mode").asString() + stat.get("type").asString()).isEqualTo("0600file");
        assertThat(lab.api().get(place.files("/list", "") + "&depth=3").expect(200).json().get("items").size()).isEqualTo(3);
        lab.api().post(place.route() + "/files/move", Map.of("from", place.dir() + "/a/b/f", "to", place.dir() + "/g")).expect(204);
        var range = lab.api().send(lab.api().request(place.files("", "/g")).header("Range", "bytes=1-1").GET().build());
        assertThat(range.status() + range.text()).isEqualTo("206e");
        assertThat(lab.api().delete(place.files("", "/a")).status()).isIn(409, 422);
        lab.api().delete(place.files("", "/a") + "&recursive=true").expect(204);
        assertThat(lab.api().get(place.files("", "/a/b/f")).code()).isEqualTo("file-not-found");
        assertThat(lab.api().get(place.files("", "")).code()).isEqualTo("file-refused");
        lab.api().post(place.route() + "/files/attributes", Map.of("path", place.dir() + "/g", "mode", "0444")).expect(200);
        assertThat(box.sh("stat -c %a " + place.seen() + "/g").text()).isEqualTo("444\n");
    }

    /// Every name that is shown can be named (docs/api.md), one that is no UTF-8 and one that only looks so.
    @ParameterizedTest
    @MethodSource("places")
    void namesThatAreNoUtf8AreNamedAsTheyAreShown(Place place) {
        clear(place);
        var tar = new LayerTar().pax("path", new byte[] {'d', (byte) 0xff}).dir("x").pax("path", new byte[] {'d', (byte) 0xff, '/', (byte) 0xc3}).file("x", "raw")
                .file("d\\xff", "text").bytes();
        lab.api().put(place.archive(""), tar, "application/x-tar").expect(204);
        var shown = new ArrayList<String>();
        lab.api().get(place.files("/list", "") + "&depth=2").expect(200).json().get("items").forEach(f -> shown.add(f.get("path").asString().substring(place.dir().length())));
        assertThat(shown).containsExactlyInAnyOrder("/d\\xff", "/d\\xff/\\xc3", "/d\\x5cxff");
        assertThat(lab.api().get(place.files("", "/d\\xff/\\xc3")).expect(200).text()).isEqualTo("raw");
        assertThat(lab.api().get(place.files("", "/d\\x5cxff")).expect(200).text()).isEqualTo("text");
        assertThat(lab.api().get(place.files("/stat", "/d\\xff")).expect(200).json().get("type").asString()).isEqualTo("directory");
        lab.api().put(place.files("", "/d\\xff/new\\xfe"), "new".getBytes(UTF_8), "application/octet-stream").expect(200);
        lab.api().post(place.route() + "/files/move", Map.of("from", place.dir() + "/d\\xff/new\\xfe", "to", place.dir() + "/\\x80")).expect(204);
        assertThat(box.sh("cd " + place.seen() + " && LC_ALL=C ls -A | od -An -tx1 | tr -d ' \\n'").text()).isEqualTo("645c7866660a64ff0a800a");
        lab.api().delete(place.files("", "/d\\xff") + "&recursive=true").expect(204);
        assertThat(lab.api().get(place.files("", "/d\\x5cxff")).expect(200).text()).as("only the one that was named").isEqualTo("text");
    }

    @Test
    void linksThatASandboxLeftOnAVolumeLeadNowhere() {
        var place = places().get(1);
        clear(place);
        var tar = Tars.join(Tars.symlink("passwd", "/etc/passwd"), Tars.symlink("up", "../../../../../etc"), Tars.symlink("proc", "/proc/self/root"));
        lab.api().put(place.archive(""), tar, "application/x-tar").expect(204);
        for (var path : List.of("/passwd", "/up/passwd", "/proc/etc/passwd", "/up/hostname")) {
            assertThat(lab.api().get(place.files("", path)).status()).as(path).isIn(404, 422);
        }
        assertThat(lab.api().put(place.files("", "/up/evil"), "x".getBytes(UTF_8), "application/octet-stream").status()).isIn(404, 409, 422);
        assertThat(Files.exists(Path.of("/etc/evil"))).isFalse();
        assertThat(lab.api().get(place.files("/stat", "/passwd") + "&follow=false").expect(200).json().get("target").asString()).isEqualTo("/etc/passwd");
    }

    private static Map<String, byte[]> hostile() {
        var all = new LinkedHashMap<String, byte[]>();
        all.put("/etc/evil", Tars.file("/etc/evil"));
        all.put("../../etc/evil", Tars.file("../../etc/evil"));
        all.put("leak", Tars.hardlink("leak", "../../etc/passwd"));
        all.put("null", Tars.device("null"));
        all.put("out/evil", Tars.join(Tars.symlink("out", "/etc"), Tars.file("out/evil")));
        all.put("twice", Tars.join(Tars.file("twice"), Tars.file("twice")));
        all.put("/zip/abs", new Zips().file("/zip/abs", new byte[1]).bytes());
        all.put("../up", new Zips().file("ok", new byte[1]).file("../up", new byte[1]).bytes());
        all.put("through/evil", new Zips().symlink("through", "/etc").file("through/evil", new byte[1]).bytes());
        all.put("secret", new Zips().file("ok", new byte[1]).encrypted("secret").bytes());
        all.put("same", new Zips().file("same", new byte[1]).file("same", new byte[1]).bytes());
        all.put("bomb", new Zips().file("ok", new byte[1]).file("bomb", new byte[300 << 20]).bytes());
        return all;
    }

    @ParameterizedTest
    @MethodSource("places")
    void fi10_fi13_hostileArchivesAreRefusedNamingTheMemberAndLeaveNothingBehind(Place place) {
        clear(place);
        lab.api().put(place.files("", "/kept"), "kept".getBytes(UTF_8), "application/octet-stream").expect(200);
        var before = look(place, "");
        hostile().forEach((member, archive) -> {
            var answer = lab.api().put(place.archive(""), archive, "application/x-tar");
            assertThat(answer.status()).as(member).isEqualTo(422);
            assertThat(answer.code()).as(member).isEqualTo("archive-refused");
            assertThat(answer.json().get("details").get("member").asString()).isEqualTo(member);
            assertThat(answer.json().get("details").get("written").asString()).isEqualTo("nothing");
            assertThat(look(place, "")).as(member).isEqualTo(before);
        });
        assertThat(box.sh("ls /etc/evil /etc/up 2>&1 | grep -c 'No such'", "user", "root").text()).isEqualTo("2\n");
    }

    @ParameterizedTest
    @MethodSource("places")
    void fi10_oneBadPathAmongTwoHundredIsNamedAndNoneIsWritten(Place place) {
        clear(place);
        var members = new ArrayList<byte[]>();
        for (int i = 0; i < 200; i++) {
            members.add(Tars.file(i == 150 ? "../bad" : "f" + i));
        }
        var answer = lab.api().put(place.archive(""), Tars.join(members.toArray(byte[][]::new)), "application/x-tar");
        assertThat(answer.json().get("details").get("member").asString()).isEqualTo("../bad");
        assertThat(answer.json().get("details").get("written").asString()).isEqualTo("nothing");
        assertThat(lab.api().get(place.files("/list", "")).expect(200).json().get("items").size()).isZero();
    }

    @ParameterizedTest
    @MethodSource("places")
    void fi11_tenMebibytesInOneRequestAndMore(Place place) {
        clear(place);
        lab.api().put(place.files("", "/big"), new byte[10 << 20], "application/octet-stream").expect(200);
        lab.api().put(place.archive("/in"), new Zips().file("big", new byte[64 << 20]).bytes(), "application/zip").expect(204);
        assertThat(lab.api().get(place.files("/stat", "/in/big")).expect(200).json().get("size").asLong()).isEqualTo(64 << 20);
    }

    /// A folder of ours with all that has to survive.
    private Path folder() throws Exception {
        var dir = Files.createDirectories(local.resolve("tree"));
        var script = "cd " + dir + "; for m in 755 644 600 444; do echo $m > f$m; chmod $m f$m; done; mkdir -p empty deep/er; echo x > deep/er/x; ln -s ../f644 deep/link;"
                + " ln -s /nowhere/at/all dangling; printf y > 'ä ☕'; printf z > \"$(printf 'raw\\377name')\"; find . -exec touch -h -d '2022-02-02 02:02:02.1234567' {} +; touch -d '2020-02-03 04:05:06.123456700' f644; touch -h -d '2001-01-01 00:00:01' dangling;"
                + " touch -d '2019-01-01 01:02:03' empty; chmod 750 empty; touch -d '1999-12-31 23:59:59' f755";
        var process = new ProcessBuilder("bash", "-c", script).inheritIO().start();
        assertThat(process.waitFor()).isZero();
        return dir;
    }

    private static String here(Path dir) throws Exception {
        var process = new ProcessBuilder("bash", "-c", "cd " + dir + "; find . -mindepth 1 -printf '%P %y %m %l %s %T@\\n' | LC_ALL=C grep -av '^[^ ]* d 755' | LC_ALL=C sort").start();
        var out = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.ISO_8859_1);
        assertThat(process.waitFor()).isZero();
        return out;
    }

    @ParameterizedTest
    @MethodSource("places")
    void fi17_upDownAndExportKeepModesLinksEmptyFoldersNamesAndTimes(Place place) throws Exception {
        clear(place);
        var redoma = Redoma.of(lab);
        var tree = folder();
        var remote = place.cli() + ":" + place.dir() + "/up";
        assertThat(redoma.call("cp", tree.toString(), remote).code()).isZero();
        var down = local.resolve("down");
        assertThat(redoma.call("cp", remote + "/.", down.toString()).code()).isZero();
        assertThat(here(down)).isEqualTo(here(tree)).contains("raw\u00ffname").contains("empty d 750");
        for (var format : List.of("tar", "zip")) {
            var archive = local.resolve("out." + format);
            assertThat(redoma.call("export", remote, archive.toString()).code()).isZero();
            assertThat(redoma.call("import", archive.toString(), place.cli() + ":" + place.dir() + "/again-" + format).code()).isZero();
            var again = local.resolve("again-" + format);
            assertThat(redoma.call("cp", place.cli() + ":" + place.dir() + "/again-" + format + "/.", again.toString()).code()).isZero();
            assertThat(here(again)).as(format).isEqualTo(here(tree));
        }
        var unzipped = local.resolve("unzipped");
        var python = new ProcessBuilder("python3", "-c", "import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); print(z.testzip()); print(len(z.namelist()))", local.resolve("out.zip").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        assertThat(new String(python.getInputStream().readAllBytes(), UTF_8)).as("others can read it: " + unzipped).isEqualTo("None\n12\n");
    }

    @ParameterizedTest
    @MethodSource("places")
    void partsAreExportedByPatternAndUnderTheirExactName(Place place) throws Exception {
        clear(place);
        for (var path : List.of("/rapports/é/1.txt", "/rapports/2.png", "/src/main.c")) {
            lab.api().put(place.files("", path), path.getBytes(UTF_8), "application/octet-stream").expect(200);
        }
        var answer = lab.api().get(place.archive("") + "&format=zip&include=" + Api.encode("rapports/**")).expect(200);
        var names = new ArrayList<String>();
        try (var zip = new ZipInputStream(new ByteArrayInputStream(answer.bytes()))) {
            for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                names.add(entry.getName());
            }
        }
        assertThat(names).containsExactlyInAnyOrder("rapports/", "rapports/2.png", "rapports/é/", "rapports/é/1.txt");
        assertThat(answer.headers().firstValue("content-type")).contains("application/zip");
        assertThat(lab.api().get(place.archive("/rapports/é")).expect(200).headers().firstValue("content-disposition").orElse("")).contains("filename*=UTF-8''%C3%A9.tar");
        assertThat(lab.api().get(place.archive("") + "&format=rar").status()).isEqualTo(400);
        assertThat(lab.api().get(place.archive("/none")).code()).isEqualTo("file-not-found");
    }

    @Test
    void theChangeSetIsExportedAlsoOfOneThatIsStopped() {
        try (var fresh = lab.tiny()) {
            fresh.sh("mkdir -p /srv/new; echo a > /srv/new/file; chmod 750 /srv/new; echo b >> /etc/passwd; rm /etc/group; ln -s /etc/shadow /srv/link");
            fresh.verb("stop");
            var tar = lab.api().get(fresh.path("/changes/archive")).expect(200).bytes();
            var list = new ArrayList<String>();
            for (int at = 0; at + 512 <= tar.length && tar[at] != 0; at += 512 + (Integer.parseInt(new String(tar, at + 124, 11, UTF_8), 8) + 511) / 512 * 512) {
                list.add(new String(tar, at, 100, UTF_8).replace("\0", ""));
            }
            assertThat(list).contains("srv/new/", "srv/new/file", "srv/link", "etc/passwd").doesNotContain("etc/group");
            assertThat(lab.api().get(fresh.path("/changes/archive?include=") + Api.encode("srv/**") + "&format=zip").expect(200).bytes()).startsWith("PK".getBytes(UTF_8));
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void fi14_whatComesDownWritesNothingOutsideTheFolder(Place place) throws Exception {
        clear(place);
        var evil = Tars.join(Tars.symlink("out", local.resolve("victim").toString()), Tars.symlink("up", "../../victim"));
        lab.api().put(place.archive("/x"), evil, "application/x-tar").expect(204);
        lab.api().put(place.files("", "/x/out.tar"), Tars.file("../../../victim/evil"), "application/octet-stream").expect(200);
        var victim = Files.createDirectories(local.resolve("victim"));
        Files.writeString(victim.resolve("mine"), "mine");
        var down = local.resolve("down/here");
        Files.createDirectories(down.getParent());
        var result = Redoma.of(lab).call("cp", place.cli() + ":" + place.dir() + "/x/.", down.toString());
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.err()).contains("points out of the folder");
        // Again over what lies there now: the links are replaced, never written through.
        lab.api().delete(place.files("", "/x/out")).expect(204);
        lab.api().put(place.files("", "/x/out/evil"), "evil".getBytes(UTF_8), "application/octet-stream").expect(200);
        var second = Redoma.of(lab).call("cp", place.cli() + ":" + place.dir() + "/x/.", down.toString());
        assertThat(second.code()).isNotZero();
        try (var all = Files.list(victim)) {
            assertThat(all.map(p -> p.getFileName().toString())).containsExactly("mine");
        }
        assertThat(Files.exists(local.resolve("victim/evil"))).isFalse();
    }

    @ParameterizedTest
    @MethodSource("places")
    void fi15_linksGoUpAsLinksAndIgnoredFilesStayHome(Place place) throws Exception {
        clear(place);
        var secret = Files.writeString(local.resolve("id_test"), "BEGIN PRIVATE KEY");
        var dir = Files.createDirectories(local.resolve("work/build"));
        Files.createSymbolicLink(dir.getParent().resolve("l"), secret);
        Files.writeString(dir.getParent().resolve(".gitignore"), "build/\n*.log\n!keep.log\n");
        Files.writeString(dir.resolve("big"), "x");
        Files.writeString(dir.getParent().resolve("a.log"), "x");
        Files.writeString(dir.getParent().resolve("keep.log"), "x");
        var up = Redoma.of(lab).call("cp", "--gitignore", dir.getParent().toString(), place.cli() + ":" + place.dir() + "/w");
        assertThat(up.code()).as(up.err()).isZero();
        assertThat(box.sh("cd " + place.seen() + "/w; ls -A; readlink l; grep -rl 'PRIVATE KEY' . | wc -l").text()).isEqualTo(".gitignore\nkeep.log\nl\n" + secret + "\n0\n");
    }

    @Test
    void aWriterKeepsTheFilesApiOutAndTheOtherWayRound() {
        try (var writer = lab.tiny(Map.of("volumes", List.of(Map.of("name", VOLUME, "path", "/v"))))) {
            var place = places().get(1);
            var answer = lab.api().put(place.files("", "/x"), "x".getBytes(UTF_8), "application/octet-stream");
            assertThat(answer.code()).isEqualTo("volume-in-use");
            assertThat(answer.json().get("details").get("holder").asString()).isEqualTo(writer.id());
            assertThat(lab.api().get(place.files("/list", "/../") ).status()).isIn(200, 400);
            lab.api().get("/v1/volumes/" + VOLUME + "/files/list?path=/").expect(200);
        }
    }

    @Test
    void filesOfAnotherTenantsVolumeAreNotThere() {
        var bob = lab.tenant("archbob");
        for (var path : List.of("/files/list?path=/", "/files/stat?path=/", "/files?path=/x", "/archive?path=/")) {
            assertThat(bob.get("/v1/volumes/" + VOLUME + path).code()).as(path).isEqualTo("volume-not-found");
        }
        assertThat(bob.put("/v1/volumes/" + VOLUME + "/files?path=/x", new byte[1], "application/octet-stream").code()).isEqualTo("volume-not-found");
        assertThat(bob.put("/v1/volumes/" + VOLUME + "/archive?path=/", Tars.file("x"), "application/x-tar").code()).isEqualTo("volume-not-found");
    }
}
