// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Names;
import dev.redoma.kernel.Stat;
import dev.redoma.kernel.Xattrs;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SandboxId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImportTest {
    @RegisterExtension
    static final PoolFixture FIXTURE = new PoolFixture();

    @TempDir
    Path tmp;

    @AfterEach
    void nothingHalfMadeIsLeft() {
        assertThat(FIXTURE.pool().root().resolve("layers")).isDirectoryNotContaining("glob:**.new");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ustar", "gnu", "pax", "pax --gzip", "pax --zstd"})
    void aTreeComesOutAsGnuTarPutItIn(String format) throws Exception {
        var tree = Files.createDirectories(tmp.resolve("tree"));
        sh(tree, """
                mkdir -p bin etc/deep sub; echo hello > bin/tool; chmod 4755 bin/tool; ln bin/tool bin/same; ln -s /etc/passwd leak
                ln -s ../../.. up; mkfifo pipe; chmod 1777 sub; echo data > etc/deep/a; chown 33:44 etc/deep/a; chown 65535:65535 sub
                touch -d @1234567890 etc/deep/a etc/deep bin/tool; printf x > "$(printf 'e\\303\\244 name')"
                """);
        sh(tmp, "tar --format=" + format + " -cf t.tar -C tree .");
        var root = unpack(Files.newInputStream(tmp.resolve("t.tar")));
        try (var dir = Dir.open(root); var deep = new Dir(dir.openInside("etc/deep", 0, 0)); var bin = dir.dirAt("bin")) {
            assertThat(bin.stat("tool")).extracting(Stat::mode, Stat::size, Stat::links).containsExactly(04755, 6L, 2L);
            assertThat(bin.stat("same").inode()).isEqualTo(bin.stat("tool").inode());
            assertThat(dir.readlink("leak")).isEqualTo("/etc/passwd");
            assertThat(dir.readlink("up")).isEqualTo("../../..");
            assertThat(dir.stat("pipe").type()).isEqualTo(Stat.Type.FIFO);
            assertThat(dir.stat("sub")).extracting(Stat::mode, Stat::uid, Stat::gid).containsExactly(01777, 65535L, 65535L);
            assertThat(deep.stat("a")).extracting(Stat::uid, Stat::gid, Stat::modified).containsExactly(33L, 44L, Instant.ofEpochSecond(1234567890));
            assertThat(deep.fd().stat().modified()).isEqualTo(Instant.ofEpochSecond(1234567890));
            assertThat(dir.has("eä name")).isTrue();
        }
    }

    @Test
    void theSameContentIsTheSameLayerWhateverItsOrderTimesAndWrapping() throws Exception {
        var one = load(new Tar().dir("a").file("a/x", "1").file("b", "2").end());
        var compressed = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(compressed)) {
            new Tar().file("b", "2").pax(Map.of("mtime", "5.25".getBytes())).dir("./a").file("./a/x", "1").end().transferTo(gzip);
        }
        assertThat(load(new ByteArrayInputStream(compressed.toByteArray()))).isEqualTo(one);
        assertThat(load(new Tar().dir("a").file("a/x", "1").file("b", "3").end())).isNotEqualTo(one);
        assertThat(load(new Tar().dir("a").file("a/x", "1").member('0', "b", 0600, 0, "", "2".getBytes()).end())).isNotEqualTo(one);
        assertThat(FIXTURE.pool().sizeOf(one).value()).isEqualTo(2);
    }

    @Test
    void absoluteNamesLandInside() throws Exception {
        var victim = tmp.resolve("victim");
        var root = unpack(new Tar().file(victim.toString(), "x").end());
        assertThat(victim).doesNotExist();
        assertThat(root.resolve(victim.toString().substring(1))).hasContent("x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../evil", "a/../../evil", "a/.."})
    void aNameThatGoesUpIsRefusedByName(String name) {
        refused(new Tar().dir("a").file(name, "x"), "'..'", name);
    }

    @Test
    void writingThroughALinkStaysInside() throws Exception {
        var outside = Files.createDirectory(tmp.resolve("outside"));
        var root = unpack(new Tar().dir("etc").symlink("leak", "/etc").file("leak/evil", "x").symlink("up", "../../../../../../etc")
                .file("up/evil2", "y").end());
        assertThat(root.resolve("etc/evil")).hasContent("x");
        assertThat(root.resolve("etc/evil2")).hasContent("y");
        assertThat(Path.of("/etc/evil")).doesNotExist();
        refused(new Tar().symlink("out", outside.toString()).file("out/evil", "x"), "EEXIST", "out/evil");
        assertThat(outside).isEmptyDirectory();
    }

    @Test
    void aFileInThePlaceOfALinkReplacesTheLink() throws Exception {
        var victim = Files.writeString(tmp.resolve("victim"), "untouched");
        var root = unpack(new Tar().symlink("f", victim.toString()).file("f", "mine").end());
        assertThat(victim).hasContent("untouched");
        assertThat(root.resolve("f")).hasContent("mine");
    }

    @Test
    void hardLinksResolveInsideOrAreRefusedByName() throws Exception {
        var victim = Files.writeString(tmp.resolve("victim"), "secret");
        refused(new Tar().hardlink("h", victim.toString()), "ENOENT", "h");
        refused(new Tar().hardlink("h", "../../etc/passwd"), "'..'", "h");
        refused(new Tar().symlink("s", tmp.toString()).hardlink("h", "s/victim"), "ENOENT", "h");
        refused(new Tar().dir("d").hardlink("h", "d"), "directory", "h");
        assertThat(unpack(new Tar().file("x", "1").hardlink("h", "/x").end()).resolve("h")).hasContent("1");
    }

    @Test
    void deviceNodesAreLeftOutAndCounted() throws Exception {
        var tar = new Tar().member('3', "null", 0666, 0, "", new byte[0]).member('4', "sda", 0660, 0, "", new byte[0]).file("f", "x").end();
        var made = FIXTURE.pool().importTar(tar, p -> {}, layer -> {});
        assertThat(root(made.layer()).resolve("null")).doesNotExist();
        assertThat(made.devices()).isEqualTo(2);
    }

    @Test
    void ownersOutsideTheRangeAreRefusedByName() {
        refused(new Tar().member('0', "f", 0644, 65536, "", new byte[0]), "65536", "f");
        refused(new Tar().pax(Map.of("uid", "4294967295".getBytes())).file("g", ""), "4294967295", "g");
    }

    @Test
    void unknownTypesAndSparseFilesAreRefusedByName() {
        refused(new Tar().member('V', "volume", 0644, 0, "", new byte[0]), "type", "volume");
        refused(new Tar().member('S', "sparse", 0644, 0, "", new byte[0]), "sparse", "sparse");
        refused(new Tar().pax(Map.of("GNU.sparse.major", "1".getBytes())).file("s", "x"), "sparse", "s");
    }

    @Test
    void aLaterMemberReplacesAnEarlierOne() throws Exception {
        var root = unpack(new Tar().file("f", "one").file("f", "two").dir("d").file("d/kept", "k").dir("d").symlink("l", "x").dir("l").end());
        assertThat(root.resolve("f")).hasContent("two");
        assertThat(root.resolve("d/kept")).hasContent("k");
        assertThat(Files.isDirectory(root.resolve("l"))).isTrue();
        refused(new Tar().dir("d").file("d/f", "x").file("d", "y"), "ENOTEMPTY", "d");
        refused(new Tar().file("f", "x").file("f/g", "y"), "ENOTDIR", "f/g");
    }

    @Test
    void aLinkThatWasReplacedLeadsWhereTheNewOneDoes() throws Exception {
        var root = unpack(new Tar().dir("d").dir("e").symlink("l", "d").file("l/x", "1").symlink("l", "e").file("l/y", "2").end());
        assertThat(root.resolve("d/x")).hasContent("1");
        assertThat(root.resolve("e/y")).hasContent("2");
    }

    @Test
    void placesThatTheRuntimeMountsOnAreMadeAndMustBeDirectories() throws Exception {
        var root = unpack(new Tar().file("f", "x").end());
        for (var place : RootCheck.PLACES) {
            assertThat(root.resolve(place)).isDirectory();
        }
        assertThat(Files.getAttribute(root.resolve("tmp"), "unix:mode")).isEqualTo(041777);
        assertThatThrownBy(() -> load(new Tar().symlink("etc", "/").end())).hasMessageContaining("/etc is no directory");
    }

    @Test
    void capabilitiesBeyondTheAllowListAreStripped() throws Exception {
        var bind = capability(1 << 10 | 1 << 13);
        var raw = capability(1 << 13);
        var root = unpack(new Tar().pax(Map.of("SCHILY.xattr.security.capability", bind)).file("web", "x")
                .pax(Map.of("SCHILY.xattr.security.capability", raw)).file("ping", "x")
                .pax(Map.of("SCHILY.xattr.user.note", new byte[] {0, (byte) 0xff}, "SCHILY.xattr.trusted.overlay.opaque", "y".getBytes()))
                .dir("d").end());
        try (var dir = Dir.open(root)) {
            assertThat(Xattrs.get(dir, "web", "security.capability")).hasValue(capability(1 << 10));
            assertThat(Xattrs.get(dir, "ping", "security.capability")).isEmpty();
            assertThat(Xattrs.list(dir, "d")).containsExactly("user.note");
            assertThat(Xattrs.get(dir, "d", "user.note")).hasValue(new byte[] {0, (byte) 0xff});
        }
    }

    @Test
    void namesThatAreNoTextSurvive() throws Exception {
        var tar = new Tar();
        tar.header('0', new byte[] {'a', (byte) 0xfe}, 0644, 0, "", 0);
        tar.pax(Map.of("path", new byte[] {'b', (byte) 0xff})).file("ignored", "x");
        try (var dir = Dir.open(unpack(tar.end()))) {
            assertThat(dir.list(20).stream().map(Names::printable)).contains("a\\xfe", "b\\xff").doesNotContain("ignored");
        }
    }

    @Test
    void bombsEndAtTheirBounds() throws Exception {
        var limits = new ImportLimits(10, 1000, 50, 100, 5);
        var many = new Tar();
        for (int i = 0; i < 11; i++) {
            many.file("f" + i, "");
        }
        bounded(limits, many, "more than 10 members");
        bounded(limits, new Tar().header('0', "big".getBytes(), 0644, 0, "", 0777_7777_7777L), "larger than");
        bounded(limits, new Tar().pax(Map.of("size", "9223372036854775807".getBytes())).file("f", ""), "out of range");
        bounded(limits, new Tar().pax(Map.of("path", "n".repeat(51).getBytes())).file("f", ""), "longer than 50");
        bounded(limits, new Tar().file("a/b/c/d/e/f", ""), "deeper than 5");
        bounded(limits, new Tar().pax(Map.of("SCHILY.xattr.user.a", new byte[200])).file("f", ""), "attributes");
        bounded(limits, new Tar().header('L', "x".getBytes(), 0644, 0, "", 1L << 30), "block of");
        var extras = new Tar();
        for (int i = 0; i < 20; i++) {
            extras.pax(Map.of("k" + i, new byte[10]));
        }
        bounded(limits, extras.file("f", ""), "too many");
    }

    /// Whatever room there is.
    @Test
    void whatGrowsAsOnlyBombsDoIsRefused() throws Exception {
        var packed = tmp.resolve("bomb.tar.gz");
        sh(tmp, "truncate -s 600M zeros && tar --format=gnu -czf bomb.tar.gz zeros && rm zeros");
        assertThat(Files.size(packed)).isLessThan(2L << 20);
        try (var in = Files.newInputStream(packed)) {
            refusedAt(in, "grows more than 200 times", "zeros");
        }
        try (var in = Files.newInputStream(packed)) {
            var incoming = IncomingTar.of(in);
            assertThatThrownBy(() -> incoming.spool(tmp, Long.MAX_VALUE)).hasMessageContaining("archive-refused").hasMessageContaining("grows");
        }
    }

    @Test
    void depthCannotBeStackedUpThroughLinks() {
        var tar = new Tar().symlink("l0", "/");
        for (int i = 1; i < 30; i++) {
            tar.dir("l" + (i - 1) + "/" + "d/".repeat(20)).symlink("l" + i, "l" + (i - 1) + "/" + "d/".repeat(20));
        }
        assertThatThrownBy(() -> load(tar.end())).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.ARCHIVE_REFUSED));
    }

    @Test
    void whatIsNoArchiveOrEndsEarlyIsRefused() {
        assertThatThrownBy(() -> load(new ByteArrayInputStream("no tar at all".repeat(100).getBytes()))).hasMessageContaining("archive-refused");
        assertThatThrownBy(() -> load(InputStream.nullInputStream())).hasMessageContaining("empty");
        assertThatThrownBy(() -> load(new ByteArrayInputStream(new byte[] {0x1f, (byte) 0x8b, 1, 2, 3}))).hasMessageContaining("archive-refused");
        var whole = new Tar().file("f", "x".repeat(5000)).bytes();
        refusedAt(new ByteArrayInputStream(Arrays.copyOf(whole, 2000)), "ends within a member", "f");
    }

    @Test
    void aTenantsSnapshotIsItsOwnAndReadOnly() throws Exception {
        var layer = load(new Tar().file("f", "x").end());
        var one = FIXTURE.pool().layerFor(layer, "one", null);
        var other = FIXTURE.pool().layerFor(layer, "two", null);
        var sandbox = SandboxId.mint();
        var own = FIXTURE.pool().layerFor(layer, "one", sandbox);
        assertThat(Set.of(one, other, own)).hasSize(3);
        assertThat(FIXTURE.pool().layerFor(layer, "one", null)).isEqualTo(one);
        assertThat(Set.of(volume(one), volume(other), volume(own))).hasSize(3);
        assertThatThrownBy(() -> Files.writeString(one.resolve("f"), "y")).hasMessageContaining("Read-only");
        FIXTURE.pool().deleteDisk(sandbox);
        assertThat(own).doesNotExist();
        FIXTURE.pool().trim(Set.of(layer));
        assertThat(one).exists();
        FIXTURE.pool().trim(Set.of());
        assertThat(one).doesNotExist();
        FIXTURE.pool().layerFor(layer, "one", null);
        FIXTURE.pool().deleteLayer(layer);
        FIXTURE.pool().deleteLayer(layer);
        assertThat(FIXTURE.pool().layers()).doesNotContain(layer);
        assertThatThrownBy(() -> FIXTURE.pool().layerFor(layer, "one", null)).hasMessageContaining("template-not-found");
    }

    private static Stat.Device volume(Path path) {
        try (var dir = Dir.open(path)) {
            return dir.fd().stat().volume();
        }
    }

    private static byte[] capability(int permitted) {
        return java.nio.ByteBuffer.allocate(20).order(java.nio.ByteOrder.LITTLE_ENDIAN).putInt(0x02000001).putInt(permitted).array();
    }

    private static LayerId load(InputStream tar) {
        return FIXTURE.pool().importTar(tar, p -> {});
    }

    private static Path root(LayerId layer) {
        return FIXTURE.pool().layerFor(layer, "t", null);
    }

    private static Path unpack(InputStream tar) {
        return root(load(tar));
    }

    private static void refused(Tar tar, String why, String member) {
        refusedAt(tar.end(), why, member);
    }

    private static void refusedAt(InputStream tar, String why, String member) {
        int before = FIXTURE.pool().layers().size();
        assertThatThrownBy(() -> load(tar)).isInstanceOfSatisfying(RedomaException.class, e -> {
            assertThat(e.code()).isEqualTo(Code.ARCHIVE_REFUSED);
            assertThat(e.getMessage()).contains(why);
            assertThat(e.problem().details()).containsEntry("member", member);
        });
        assertThat(FIXTURE.pool().layers()).hasSize(before);
    }

    private void bounded(ImportLimits limits, Tar tar, String why) throws Exception {
        var target = Files.createTempDirectory(tmp, "bounded");
        try (var dir = Dir.open(target)) {
            assertThatThrownBy(() -> new TarImport(dir, limits, p -> {}).run(tar.end())).hasMessageContaining("archive-refused").hasMessageContaining(why);
        }
    }

    private static void sh(Path at, String script) throws Exception {
        var process = new ProcessBuilder("sh", "-ec", script).directory(at.toFile()).inheritIO().start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }
}
