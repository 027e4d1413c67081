// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStream;
import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Stat;
import dev.redoma.kernel.Xattrs;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// What a stack of layers shows is looked at through a real overlayfs.
class LayerStackTest {
    @RegisterExtension
    static final PoolFixture FIXTURE = new PoolFixture();

    @TempDir
    Path tmp;

    private static final List<LayerId> held = new ArrayList<>();

    private final List<Path> mounted = new ArrayList<>();

    @AfterEach
    void nothingStays() throws Exception {
        for (var mount : mounted) {
            run("umount", mount.toString());
        }
        assertThat(FIXTURE.pool().root().resolve("layers")).isDirectoryNotContaining("glob:**.new");
    }

    @Test
    void aWhiteoutHidesAFileAndADirectoryBelow() throws Exception {
        var root = shown(new Tar().dir("d").file("d/a", "1").file("d/b", "2").dir("gone").file("gone/x", "3"),
                new Tar().dir("d").file("d/.wh.a", "").file(".wh.gone", ""));
        assertThat(listing(root)).containsExactly("d", "d/b");
    }

    @Test
    void anOpaqueDirectoryShowsOnlyItsOwn() throws Exception {
        var root = shown(new Tar().dir("d").file("d/a", "1").dir("d/sub").file("d/sub/x", "2"),
                new Tar().dir("d").file("d/own", "3").file("d/.wh..wh..opq", "").dir("d/sub").file("d/sub/y", "4"));
        assertThat(listing(root)).containsExactly("d", "d/own", "d/sub", "d/sub/y");
    }

    @Test
    void anOpaqueRootHidesAllBelow() throws Exception {
        var root = shown(new Tar().dir("d").file("d/a", "1").file("f", "2").dir("kept").file("kept/old", "o"),
                new Tar().dir("kept").file("kept/new", "n").file(".wh..wh..opq", "").dir("d").file("d/b", "3"));
        assertThat(listing(root)).containsExactly("d", "d/b", "kept", "kept/new");
    }

    @Test
    void whatALayerBringsAgainAfterItsWhiteoutIsItsOwnAlone() throws Exception {
        var lower = new Tar().dir("d").file("d/a", "1").dir("e").file("e/a", "1").file("f", "old");
        assertThat(listing(shown(lower, new Tar().file(".wh.d", "").dir("d").file("d/b", "2").dir("e").file("e/b", "2").file(".wh.e", "").file(".wh.f", "").file("f", "new"))))
                .containsExactly("d", "d/b", "e", "e/b", "f");
    }

    @Test
    void whiteoutsOfWhatIsNotThereLeaveNoTrace() throws Exception {
        var bottom = shown(new Tar().dir("d").file("d/.wh.x", "").file(".wh.y", "").file(".wh..wh..opq", ""));
        assertThat(listing(bottom)).containsExactly("d");
        assertThat(listing(shown(new Tar().file("f", ""), new Tar().dir("new").file("new/.wh.x", "").dir("new/s").file("new/s/.wh..wh..opq", ""))))
                .containsExactly("f", "new", "new/s");
        assertThat(listing(shown(new Tar().dir("d").file("d/x", ""), new Tar().dir("d").file("d/.wh.x", "").file("d/.wh..wh..opq", ""), new Tar().file("g", ""))))
                .containsExactly("d", "g");
    }

    @Test
    void theSameLayerTwiceIsStackedOnceAtItsHighestPlace() throws Exception {
        var same = new Tar().dir("d").file("d/a", "1");
        var root = shown(same, new Tar().dir("d").file("d/.wh.a", "").file("d/b", "2"), new Tar().dir("d").file("d/a", "1"), new Tar().dir("d").file("d/a", "1"));
        assertThat(listing(root)).containsExactly("d", "d/a", "d/b");
    }

    @Test
    void thirdLayersSeeThroughTheSecond() throws Exception {
        var root = shown(new Tar().dir("d").file("d/a", "1"), new Tar().file(".wh.d", ""), new Tar().dir("d").file("d/b", "2"));
        assertThat(listing(root)).containsExactly("d", "d/b");
    }

    @Test
    void parentsThatALayerDoesNotBringKeepTheirOwnersAndModes() throws Exception {
        var home = new Tar().dir("home").member('5', "home/u", 0700, 1000, "", new byte[0]).member('5', "tmp", 01777, 0, "", new byte[0]);
        var root = shown(home, new Tar().file("home/u/f", "x").file("tmp/t", "y").file("new/dir/f", "z"));
        try (var dir = Dir.open(root); var inner = dir.dirAt("home")) {
            assertThat(inner.stat("u")).extracting(Stat::mode, Stat::uid).containsExactly(0700, 1000L);
            assertThat(inner.stat("u").modified()).isEqualTo(Instant.ofEpochSecond(1_000_000_000));
            assertThat(dir.stat("tmp").mode()).isEqualTo(01777);
            assertThat(dir.stat("new").mode()).isEqualTo(0755);
        }
        assertThat(listing(root)).contains("home/u/f", "tmp/t", "new/dir/f");
    }

    @Test
    void aLinkOfALowerLayerIsFollowedAsTheWayToAMember() throws Exception {
        var root = shown(new Tar().dir("usr").dir("usr/lib").file("usr/lib/a", "1").symlink("lib", "usr/lib").symlink("abs", "/usr/lib").symlink("up", "../../../etc"),
                new Tar().file("lib/b", "2").file("abs/c", "3").file("up/d", "4"));
        assertThat(listing(root)).containsExactly("abs", "etc", "etc/d", "lib", "up", "usr", "usr/lib", "usr/lib/a", "usr/lib/b", "usr/lib/c");
        assertThat(Path.of("/etc/d")).doesNotExist();
    }

    @Test
    void hardLinksHoldWithinALayerAndReachFilesOfLowerOnes() throws Exception {
        var root = shown(new Tar().dir("d").member('0', "d/a", 0640, 7, "", "content".getBytes()).symlink("s", "d/a"),
                new Tar().hardlink("d/b", "d/a").hardlink("d/c", "/d/a").hardlink("t", "s").file("own", "o").hardlink("own2", "own"));
        try (var dir = Dir.open(root); var d = dir.dirAt("d")) {
            assertThat(d.stat("b")).extracting(Stat::inode, Stat::links, Stat::mode, Stat::uid).containsExactly(d.stat("a").inode(), 3L, 0640, 7L);
            assertThat(d.stat("c").inode()).isEqualTo(d.stat("a").inode());
            assertThat(dir.readlink("t")).isEqualTo("d/a");
            assertThat(dir.stat("own").inode()).isEqualTo(dir.stat("own2").inode());
        }
        assertThat(root.resolve("d/b")).hasContent("content");
    }

    @Test
    void hardLinksToWhatIsNowhereAreRefusedByName() {
        refused(List.of(new Tar().dir("d").file("x", "1")), new Tar().hardlink("h", "d"), "h");
        refused(List.of(new Tar().file("x", "1")), new Tar().file(".wh.x", "").hardlink("h", "x"), "h");
        refused(List.of(new Tar().file("x", "1")), new Tar().hardlink("h", "../../x"), "'..'", "h");
        refused(List.of(new Tar().symlink("out", "/etc")), new Tar().hardlink("h", "out/passwd"), "h");
    }

    @Test
    void allowedAttributesStayAndOthersGo() throws Exception {
        var chown = capability(1);
        var tar = new Tar().pax(Map.of("SCHILY.xattr.security.capability", chown, "SCHILY.xattr.user.mime", "a/b".getBytes(),
                        "SCHILY.xattr.trusted.overlay.opaque", "y".getBytes()))
                .file("f", "x").pax(Map.of("SCHILY.xattr.security.capability", capability(1 << 21))).file("g", "x")
                .pax(Map.of("SCHILY.xattr.trusted.overlay.opaque", "y".getBytes())).dir("d").member('3', "null", 0666, 0, "", new byte[0]);
        var stack = FIXTURE.pool().stack(held::add);
        LayerStack.Content content;
        try (stack) {
            content = unpack(stack, null, tar.end());
            var root = mount(stack.finish());
            try (var dir = Dir.open(root)) {
                assertThat(Xattrs.get(dir, "f", "security.capability")).hasValueSatisfying(v -> assertThat(v).isEqualTo(chown));
                assertThat(Xattrs.get(dir, "f", "user.mime")).contains("a/b".getBytes());
                assertThat(Xattrs.list(dir, "g")).isEmpty();
                assertThat(Xattrs.list(dir, "d")).isEmpty();
            }
            assertThat(listing(root)).containsExactly("d", "f", "g");
        }
        assertThat(content).isEqualTo(new LayerStack.Content(4, 2, 1, 1, 2));
    }

    @Test
    void gzipOfSeveralMembersZstdAndPlainAreTheSameLayer() throws Exception {
        var plain = new Tar().dir("d").file("d/f", "x".repeat(100_000)).end().readAllBytes();
        var zstd = new ByteArrayOutputStream();
        try (var out = new ZstdOutputStream(zstd)) {
            out.write(plain);
        }
        var gzip = new ByteArrayOutputStream();
        for (int at = 0; at < plain.length; at += 1000) {
            try (var out = new GZIPOutputStream(gzip)) {
                out.write(plain, at, Math.min(1000, plain.length - at));
            }
        }
        var ids = new ArrayList<LayerId>();
        for (var form : List.of(new Trickle(gzip.toByteArray()), new ByteArrayInputStream(zstd.toByteArray()), new Trickle(plain))) {
            try (var stack = FIXTURE.pool().stack(held::add)) {
                stack.unpack(ImageLayer.on(null, digest(plain)), form, p -> {});
                ids.addAll(stack.finish());
            }
        }
        assertThat(ids).hasSize(3).allMatch(ids.getFirst()::equals);
    }

    @Test
    void whatIsThereIsTakenAndNotUnpackedAgain() {
        var bytes = new Tar().file("f", "taken").end();
        var layer = ImageLayer.on(null, digest(all(bytes)));
        bytes = new Tar().file("f", "taken").end();
        List<LayerId> first;
        try (var stack = FIXTURE.pool().stack(held::add)) {
            assertThat(stack.take(layer)).isFalse();
            stack.unpack(layer, bytes, p -> {});
            first = stack.finish();
        }
        held.clear();
        try (var stack = FIXTURE.pool().stack(held::add)) {
            assertThat(stack.take(layer)).isTrue();
            assertThat(held).as("named before it is taken").contains(first.getFirst());
            assertThat(stack.finish()).isEqualTo(first);
        }
    }

    @Test
    void aLayerThatDependsOnThoseBelowIsSharedOnlyOnTheSameOnes() {
        var upper = all(new Tar().file(".wh.x", "").end());
        var onX = layers(new Tar().file("x", "1"), upper);
        assertThat(layers(new Tar().file("x", "1"), upper)).isEqualTo(onX);
        assertThat(layers(new Tar().file("x", "2"), upper).getFirst()).isNotEqualTo(onX.getFirst());
        var alone = all(new Tar().dir("d").file("d/y", "1").end());
        assertThat(layers(new Tar().file("x", "1"), alone).getFirst()).isEqualTo(layers(new Tar().file("x", "2"), alone).getFirst());
    }

    @Test
    void aWrongDigestIsRefusedAndNothingOfItStays() {
        var before = FIXTURE.pool().layers();
        try (var stack = FIXTURE.pool().stack(held::add)) {
            assertThatThrownBy(() -> stack.unpack(ImageLayer.on(null, digest(new byte[1])), new Tar().file("evil", "x").end(), p -> {}))
                    .isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.problem().code()).isEqualTo(Code.ARCHIVE_REFUSED))
                    .hasMessageContaining(digest(new byte[1]));
        }
        assertThat(FIXTURE.pool().layers()).isEqualTo(before);
    }

    @Test
    void hostileMembersAreRefusedByName() {
        refused(List.of(), new Tar().file("../evil", "x"), "'..'", "../evil");
        refused(List.of(), new Tar().file("d/../../evil", "x"), "'..'");
        refused(List.of(), new Tar().file(".wh...", "x"), "whiteout of nothing");
        refused(List.of(), new Tar().file("d/.wh.", "x"), "whiteout of nothing");
        refused(List.of(), new Tar().file(".wh.d/f", "x"), "in a whiteout");
        refused(List.of(new Tar().file("f", "1")), new Tar().file("f/g", "x"), "f/g");
        refused(List.of(new Tar().symlink("a", "b").symlink("b", "a")), new Tar().file("a/f", "x"), "links", "a/f");
        refused(List.of(), new Tar().member('0', "f", 0644, 65_536, "", new byte[0]), "65536", "f");
        refused(List.of(), new Tar().member('V', "v", 0644, 0, "", new byte[0]), "type", "v");
    }

    @Test
    void missingPlacesAreMadeAndWhatIsThereStaysAsItIs() throws Exception {
        try (var stack = FIXTURE.pool().stack(held::add)) {
            unpack(stack, null, new Tar().member('5', "etc", 0711, 5, "", new byte[0]).dir("var").symlink("srv", "/var").file("bin", "x").end());
            stack.complete(List.of("/srv/app/deep", "/"));
            var root = mount(stack.finish());
            assertThat(listing(root)).containsExactly("bin", "dev", "etc", "proc", "run", "srv", "sys", "tmp", "var", "var/app", "var/app/deep");
            try (var dir = Dir.open(root)) {
                assertThat(dir.stat("etc")).extracting(Stat::mode, Stat::uid).containsExactly(0711, 5L);
                assertThat(dir.stat("tmp").mode()).isEqualTo(01777);
                assertThat(dir.stat("srv").type()).isEqualTo(Stat.Type.SYMLINK);
            }
        }
    }

    @Test
    void aPlaceThatIsNoDirectoryIsRefusedByName() {
        for (var place : List.of("tmp", "proc", "etc")) {
            try (var stack = FIXTURE.pool().stack(held::add)) {
                unpack(stack, null, new Tar().symlink(place, "/somewhere").end());
                assertThatThrownBy(() -> stack.complete(List.of())).hasMessageContaining("/" + place).hasMessageContaining("symlink");
            }
        }
        try (var stack = FIXTURE.pool().stack(held::add)) {
            unpack(stack, null, new Tar().file("srv", "x").end());
            assertThatThrownBy(() -> stack.complete(List.of("/srv/app"))).isInstanceOf(RedomaException.class).hasMessageContaining("/srv/app");
        }
    }

    @Test
    void aFileIsReadAsTheStackShowsIt() {
        try (var stack = FIXTURE.pool().stack(held::add)) {
            var bottom = new Tar().dir("etc").file("etc/passwd", "one").symlink("etc/link", "passwd").end().readAllBytes();
            unpack(stack, null, new ByteArrayInputStream(bottom));
            assertThat(stack.read("etc/passwd", 2)).hasValueSatisfying(v -> assertThat(v).isEqualTo("on".getBytes()));
            assertThat(stack.read("etc/link", 9)).isEmpty();
            unpack(stack, ImageLayer.on(null, digest(bottom)), new Tar().dir("etc").file("etc/.wh.passwd", "").end());
            assertThat(stack.read("etc/passwd", 9)).isEmpty();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] capability(int permitted) {
        return ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN).putInt(0x02000001).putInt(permitted).putInt(0).putInt(0).putInt(0).array();
    }

    private void refused(List<Tar> below, Tar hostile, String... words) {
        var before = FIXTURE.pool().layers();
        try (var stack = FIXTURE.pool().stack(held::add)) {
            ImageLayer last = null;
            for (var tar : below) {
                var bytes = all(tar.end());
                last = ImageLayer.on(last, digest(bytes));
                stack.unpack(last, new ByteArrayInputStream(bytes), p -> {});
            }
            var bytes = all(hostile.end());
            var layer = ImageLayer.on(last, digest(bytes));
            var thrown = assertThatThrownBy(() -> stack.unpack(layer, new ByteArrayInputStream(bytes), p -> {}))
                    .isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.problem().code()).isEqualTo(Code.ARCHIVE_REFUSED));
            for (var word : words) {
                thrown.hasMessageContaining(word);
            }
        }
        assertThat(FIXTURE.pool().layers()).isEqualTo(before);
    }

    private static List<LayerId> layers(Tar lower, byte[] upper) {
        try (var stack = FIXTURE.pool().stack(held::add)) {
            var bytes = all(lower.end());
            var bottom = ImageLayer.on(null, digest(bytes));
            stack.unpack(bottom, new ByteArrayInputStream(bytes), p -> {});
            stack.unpack(ImageLayer.on(bottom, digest(upper)), new ByteArrayInputStream(upper), p -> {});
            return stack.finish();
        }
    }

    private Path shown(Tar... tars) throws Exception {
        try (var stack = FIXTURE.pool().stack(held::add)) {
            ImageLayer last = null;
            for (var tar : tars) {
                var bytes = all(tar.end());
                last = ImageLayer.on(last, digest(bytes));
                stack.unpack(last, new ByteArrayInputStream(bytes), p -> {});
            }
            return mount(stack.finish());
        }
    }

    private static LayerStack.Content unpack(LayerStack stack, ImageLayer below, InputStream tar) {
        var bytes = all(tar);
        return stack.unpack(ImageLayer.on(below, digest(bytes)), new ByteArrayInputStream(bytes), p -> {});
    }

    /// As a sandbox sees it: an empty upper over the layers.
    private Path mount(List<LayerId> layers) throws Exception {
        var lowers = layers.stream().map(l -> FIXTURE.pool().layerFor(l, "default", null).toString()).collect(Collectors.joining(":"));
        var base = Files.createDirectories(FIXTURE.data().resolve("pool/test-" + java.util.UUID.randomUUID()));
        for (var name : List.of("upper", "work", "root")) {
            Files.createDirectory(base.resolve(name));
        }
        var root = base.resolve("root");
        run("mount", "-t", "overlay", "overlay", "-o", "lowerdir=" + lowers + ",upperdir=" + base.resolve("upper") + ",workdir=" + base.resolve("work")
                + ",redirect_dir=off,metacopy=off,index=off", root.toString());
        mounted.add(root);
        return root;
    }

    private static List<String> listing(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.skip(1).map(p -> root.relativize(p).toString()).sorted().toList();
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Arrays.toString(command) + said).isZero();
    }

    private static byte[] all(InputStream in) {
        try {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String digest(byte[] bytes) {
        return "sha256:" + HexFormat.of().formatHex(LayerDigest.sha256().digest(bytes));
    }

    /// Gives little at a time and says that it has nothing more ready, as a network does.
    private static final class Trickle extends ByteArrayInputStream {
        Trickle(byte[] bytes) {
            super(bytes);
        }

        @Override
        public synchronized int read(byte[] into, int at, int length) {
            return super.read(into, at, Math.min(length, 777));
        }

        @Override
        public synchronized int available() {
            return 0;
        }
    }
}
