// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Names;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.VolumeId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Archives into and out of volumes: trees made at random come back as they were, and hostile archives change nothing at all.
class ArchivesTest {
    @RegisterExtension
    static final PoolFixture POOL = new PoolFixture();

    private final List<VolumeId> made = new ArrayList<>();
    private VolumeId volume;

    @BeforeEach
    void make() {
        volume = fresh();
    }

    @AfterEach
    void remove() {
        made.forEach(POOL.pool().volumes()::delete);
    }

    private VolumeId fresh() {
        var id = VolumeId.mint();
        POOL.pool().volumes().create(id, Bytes.mebi(128), 1000, 1000);
        made.add(id);
        return id;
    }

    private Tree tree(VolumeId id) {
        return new Tree(POOL.pool().volumes().open(id), 1000, 1000);
    }

    private void in(byte[] archive, VolumeId to, String path) throws IOException {
        try (var incoming = Incoming.receive(POOL.pool().root(), new ByteArrayInputStream(archive), 64L << 20); var tree = tree(to)) {
            incoming.into(tree, path);
        }
    }

    private byte[] out(VolumeId from, String path, Outgoing.Format format, String... include) throws IOException {
        var out = new ByteArrayOutputStream();
        try (var tree = tree(from)) {
            Outgoing.of(format, List.of(include)).tree(tree, path, out);
        }
        return out.toByteArray();
    }

    /// Everything below the volume's root and beside it: path to facts.
    private Map<String, String> look(VolumeId id, boolean exact) {
        var facts = new TreeMap<String, String>();
        try (var dir = POOL.pool().volumes().open(id)) {
            look(dir, "", facts, exact);
        }
        return facts;
    }

    private static void look(Dir dir, String prefix, Map<String, String> facts, boolean exact) {
        for (var name : dir.list(10_000)) {
            var s = dir.stat(name);
            boolean file = s.type() == Stat.Type.FILE;
            var content = switch (s.type()) {
                case FILE -> {
                    try (var fd = dir.openAt(name, Open.RDONLY, 0)) {
                        yield HexFormat.of().formatHex(LayerDigest.sha256().digest(fd.readAll(1 << 20)));
                    }
                }
                case SYMLINK -> dir.readlink(name);
                default -> "";
            };
            // A zip keeps tenths of microseconds, and every name of a file has bytes of its own.
            var time = exact ? s.modified() : s.modified().minusNanos(s.modified().getNano() % 100);
            facts.put(prefix + name, s.type() + " " + Integer.toOctalString(s.mode()) + " " + (file && exact ? s.links() : "") + " " + time + " " + content);
            if (s.type() == Stat.Type.DIRECTORY) {
                try (var below = dir.dirAt(name)) {
                    look(below, prefix + name + "/", facts, exact);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Outgoing.Format.class)
    void aTreeMadeAtRandomComesBackAsItWas(Outgoing.Format format) throws Exception {
        for (long seed = 1; seed <= 6; seed++) {
            var source = fresh();
            try (var dir = POOL.pool().volumes().open(source)) {
                grow(new Random(seed), dir, 3, format == Outgoing.Format.TAR);
            }
            var target = fresh();
            in(out(source, "/", format), target, "/");
            boolean exact = format == Outgoing.Format.TAR;
            assertThat(look(target, exact)).as("seed " + seed).isEqualTo(look(source, exact)).hasSizeGreaterThan(5);
        }
    }

    private static void grow(Random random, Dir dir, int depth, boolean all) {
        String last = null;
        for (int i = 0; i < 7; i++) {
            var name = name(random, i);
            switch (random.nextInt(all ? 7 : 5)) {
                case 0, 1 -> {
                    try (var fd = dir.openAt(name, Open.WRONLY | Open.CREAT | Open.EXCL, 0600)) {
                        var content = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(200_000)];
                        random.nextBytes(content);
                        fd.write(content);
                    }
                    dir.chmod(name, new int[] {0755, 0644, 0600, 0444, 04755, 0}[random.nextInt(6)]);
                    last = name;
                }
                case 2, 3 -> {
                    dir.mkdir(name, 0700);
                    if (depth > 0 && random.nextInt(4) > 0) {
                        try (var below = dir.dirAt(name)) {
                            grow(random, below, depth - 1, all);
                        }
                    }
                    dir.chmod(name, new int[] {0755, 0700, 01777, 0555}[random.nextInt(4)]);
                }
                case 4 -> dir.symlink(new String[] {"/etc/passwd", "../../..", "nowhere", "ä/\udce4", "a"}[random.nextInt(5)], name);
                case 5 -> dir.mkfifo(name, 0600);
                default -> {
                    if (last != null) {
                        dir.link(dir, last, name);
                    }
                }
            }
            if (dir.has(name)) {
                dir.touch(name, Instant.ofEpochSecond(random.nextInt(2) == 0 ? 1_700_000_000L + random.nextInt(1_000_000) : random.nextInt(5000) - 2500, random.nextInt(1_000_000_000)));
            }
        }
    }

    /// Long ones, bytes that are no UTF-8, and such as mean something elsewhere.
    private static String name(Random random, int i) {
        return i + switch (random.nextInt(6)) {
            case 0 -> "x".repeat(1 + random.nextInt(240));
            case 1 -> Names.decode(new byte[] {(byte) 0xff, 'a', (byte) 0xe4});
            case 2 -> "ä☕漢";
            case 3 -> " -rf \n*\t'\"\\";
            case 4 -> ".wh.x";
            default -> "plain";
        };
    }

    private static final Map<String, byte[]> HOSTILE = hostile();

    private static Map<String, byte[]> hostile() {
        var all = new LinkedHashMap<String, byte[]>();
        all.put("tar: absolute /abs", new Tar().file("ok", "x").file("/abs", "x").bytes());
        all.put("tar: dotdot ../up", new Tar().file("ok", "x").file("../up", "x").bytes());
        all.put("tar: dotdot within a/../../up", new Tar().file("a/../../up", "x").bytes());
        all.put("tar: through a link out/evil", new Tar().symlink("out", "/etc").file("out/evil", "x").bytes());
        all.put("tar: through a file f/evil", new Tar().file("f", "x").file("f/evil", "x").bytes());
        all.put("tar: hard link out leak", new Tar().hardlink("leak", "../../etc/passwd").bytes());
        all.put("tar: hard link absolute leak", new Tar().hardlink("leak", "/etc/passwd").bytes());
        all.put("tar: hard link to a link leak", new Tar().symlink("l", "/etc/passwd").hardlink("leak", "l").bytes());
        all.put("tar: device dev", new Tar().member('3', "dev", 0644, 0, "", new byte[0]).bytes());
        all.put("tar: block device dev", new Tar().member('4', "dev", 0644, 0, "", new byte[0]).bytes());
        all.put("tar: twice f", new Tar().file("f", "1").file("./f", "2").bytes());
        all.put("tar: file then directory f", new Tar().file("f", "1").dir("f").bytes());
        all.put("tar: unknown type odd", new Tar().member('Z', "odd", 0644, 0, "", new byte[0]).bytes());
        all.put("tar: link to nothing l", new Tar().symlink("l", "").bytes());
        all.put("tar: deep /", new Tar().file("d/".repeat(300) + "f", "x").bytes());
        all.put("zip: absolute /abs", new Zip().file("ok", "x").file("/abs", "x").bytes());
        all.put("zip: dotdot ../up", new Zip().file("ok", "x").file("../up", "x").bytes());
        all.put("zip: through a link out/evil", new Zip().symlink("out", "/etc").file("out/evil", "x").bytes());
        all.put("zip: device dev", new Zip().member(Zip.Member.of("dev", 0020644, new byte[0], false)).bytes());
        all.put("zip: twice f", new Zip().file("f", "1").file("f", "2").bytes());
        all.put("zip: encrypted secret", new Zip().member(Zip.Member.of("secret", 0100644, "x".getBytes(UTF_8), false).flags(1)).bytes());
        all.put("zip: method odd", new Zip().member(Zip.Member.of("odd", 0100644, "x".getBytes(UTF_8), false).method(14)).bytes());
        all.put("zip: two names b", new Zip().member(Zip.Member.of("b", 0100644, "x".getBytes(UTF_8), true).localName("c")).bytes());
        all.put("zip: longer than it says f", new Zip().member(Zip.Member.of("f", 0100644, "xxxx".getBytes(UTF_8), true).size(2)).bytes());
        all.put("zip: shorter than it says f", new Zip().member(Zip.Member.of("f", 0100644, "xxxx".getBytes(UTF_8), true).size(9)).bytes());
        all.put("zip: wrong sum f", new Zip().member(Zip.Member.of("f", 0100644, "xxxx".getBytes(UTF_8), true).crc(1)).bytes());
        all.put("zip: shared bytes g", new Zip().file("f", "1").member(Zip.Member.of("g", 0100644, "1".getBytes(UTF_8), true).header(0)).bytes());
        all.put("zip: outside g", new Zip().file("f", "1").member(Zip.Member.of("g", 0100644, "1".getBytes(UTF_8), true).header(1 << 30)).bytes());
        all.put("zip: long link l", new Zip().symlink("l", "x".repeat(5000)).bytes());
        all.put("zip: absurd size f", new Zip().member(Zip.Member.of("f", 0100644, "x".getBytes(UTF_8), true).size(0xFFFF_FFFEL)).bytes());
        all.put("zip: bomb zeros", new Zip().member(Zip.Member.of("zeros", 0100644, new byte[80 << 20], true)).bytes());
        all.put("tar: more than the room zeros", new Tar().member('0', "zeros", 0644, 0, "", new byte[65 << 20]).bytes());
        return all;
    }

    @Test
    void hostileArchivesAreRefusedNamingTheMemberAndChangeNothing() throws Exception {
        try (var tree = tree(volume)) {
            tree.mkdir("/in/old", -1);
            tree.write("/in/kept", 0640, new ByteArrayInputStream("kept".getBytes(UTF_8)), w -> {});
            tree.write("/outside", -1, new ByteArrayInputStream("mine".getBytes(UTF_8)), w -> {});
        }
        var before = look(volume, true);
        for (var hostile : HOSTILE.entrySet()) {
            for (var place : List.of("/in", "/new/place")) {
                var e = catchThrowableOfType(RedomaException.class, () -> in(hostile.getValue(), volume, place));
                assertThat(e).as(hostile.getKey()).isNotNull();
                assertThat(e.code()).as(hostile.getKey() + ": " + e).isEqualTo(Code.ARCHIVE_REFUSED);
                var member = hostile.getKey().substring(hostile.getKey().lastIndexOf(' ') + 1);
                assertThat(String.valueOf(e.problem().details().get("member"))).as(hostile.getKey()).contains(member);
                assertThat(e.problem().details().get("written")).isEqualTo("nothing");
                assertThat(look(volume, true)).as(hostile.getKey()).isEqualTo(before);
            }
        }
    }

    @Test
    void whatIsInTheWayIsRefusedBeforeAnythingIsWritten() throws Exception {
        try (var dir = POOL.pool().volumes().open(volume)) {
            dir.mkdir("target", 0755);
            dir.mkdir("elsewhere", 0755);
            try (var target = dir.dirAt("target")) {
                target.symlink("../elsewhere", "link");
                target.mkdir("dir", 0755);
                target.mkfifo("fifo", 0644);
            }
        }
        var before = look(volume, true);
        for (var archive : List.of(new Tar().file("first", "x").file("link/evil", "x"), new Tar().file("first", "x").file("dir", "x"),
                new Tar().file("first", "x").dir("link"), new Tar().file("first", "x").file("fifo/x", "x"))) {
            assertThatThrownBy(() -> in(archive.bytes(), volume, "/target")).isInstanceOf(RedomaException.class).hasMessageContaining("in its way");
            assertThat(look(volume, true)).isEqualTo(before);
        }
        in(new Tar().file("link", "a file in a link's place").file("fifo", "and in a FIFO's").file("dir/x", "x").bytes(), volume, "/target");
        assertThat(look(volume, true)).containsKeys("target/dir/x").doesNotContainKeys("elsewhere/evil", "elsewhere/x");
        assertThat(look(volume, true).get("target/link")).startsWith("FILE");
    }

    @Test
    void aLinkInTheWayToThePlaceLeadsNowhereOutside() throws Exception {
        try (var dir = POOL.pool().volumes().open(volume)) {
            dir.symlink("/", "root");
            dir.symlink("../../../../..", "up");
        }
        in(new Tar().file("f", "x").bytes(), volume, "/root/up/inside");
        assertThat(look(volume, true)).containsKey("inside/f");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void damagedArchivesNeverDoMoreThanBeRefused(long seed) throws Exception {
        var random = new Random(seed);
        try (var dir = POOL.pool().volumes().open(volume)) {
            dir.mkdir("source", 0755);
            try (var source = dir.dirAt("source")) {
                grow(random, source, 1, false);
            }
        }
        var target = fresh();
        try (var tree = tree(target)) {
            tree.write("/outside", -1, new ByteArrayInputStream("mine".getBytes(UTF_8)), w -> {});
        }
        var outside = look(target, true);
        var zipped = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(zipped)) {
            gzip.write(out(volume, "/source", Outgoing.Format.TAR));
        }
        for (var whole : List.of(out(volume, "/source", Outgoing.Format.TAR), out(volume, "/source", Outgoing.Format.ZIP), zipped.toByteArray())) {
            for (int round = 0; round < 60; round++) {
                var bytes = random.nextInt(5) == 0 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
                // Mostly where the structure is: headers of a tar, the directory of a zip.
                for (int flips = random.nextInt(4); flips >= 0 && bytes.length > 0; flips--) {
                    int at = random.nextBoolean() ? random.nextInt(bytes.length) : Math.max(0, bytes.length - 1 - random.nextInt(Math.min(2000, bytes.length)));
                    bytes[at] ^= (byte) (1 << random.nextInt(8));
                }
                attempt(bytes, target, e -> assertThat(e.code()).isIn(Code.ARCHIVE_REFUSED, Code.DISK_FULL, Code.FILE_REFUSED));
                try (var tree = tree(target)) {
                    if (look(target, true).containsKey("in")) {
                        tree.remove("/in", true);
                    }
                }
                assertThat(look(target, true)).isEqualTo(outside);
            }
        }
    }

    /// Whose only witness is the sum at the end of the compressed stream, behind the end of the tar.
    @Test
    void aWrongSumOfACompressionIsRefused() throws Exception {
        var tar = new Tar().file("f", "what is damaged in transit ".repeat(4000)).bytes();
        var zipped = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(zipped) {
            {
                def.setLevel(java.util.zip.Deflater.NO_COMPRESSION);
            }
        }) {
            gzip.write(tar);
        }
        var packed = new ByteArrayOutputStream();
        try (var zstd = new com.github.luben.zstd.ZstdOutputStream(packed).setChecksum(true)) {
            zstd.write(tar);
        }
        in(zipped.toByteArray(), volume, "/whole");
        in(packed.toByteArray(), volume, "/whole-too");
        for (var whole : List.of(zipped.toByteArray(), packed.toByteArray())) {
            for (int at : List.of(whole.length / 2, whole.length - 5, whole.length - 3)) {
                var bytes = whole.clone();
                bytes[at] ^= 1;
                assertThatThrownBy(() -> in(bytes, volume, "/damaged")).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.ARCHIVE_REFUSED));
            }
        }
        assertThat(look(volume, true)).doesNotContainKeys("damaged");
    }

    private void attempt(byte[] bytes, VolumeId target, Consumer<RedomaException> refused) throws IOException {
        try {
            in(bytes, target, "/in");
        } catch (RedomaException e) {
            refused.accept(e);
        }
    }

    @Test
    void aPartIsWhatThePatternsSayWithTheDirectoriesAboveIt() throws Exception {
        try (var tree = tree(volume)) {
            for (var path : List.of("/w/reports/a/1.txt", "/w/reports/2.txt", "/w/src/x.png", "/w/src/deep/y.png", "/w/src/z.java", "/w/top.png")) {
                tree.write(path, -1, new ByteArrayInputStream(path.getBytes(UTF_8)), w -> {});
            }
            tree.mkdir("/w/reports/empty", 0750);
            tree.mkdir("/w/src", 0711);
        }
        assertThat(names(out(volume, "/w", Outgoing.Format.TAR, "reports/**"))).containsExactly("reports/", "reports/2.txt", "reports/a/", "reports/a/1.txt", "reports/empty/");
        assertThat(names(out(volume, "/w", Outgoing.Format.TAR, "*.png"))).containsExactly("src/", "src/deep/", "src/deep/y.png", "src/x.png", "top.png");
        assertThat(names(out(volume, "/w", Outgoing.Format.TAR, "/*.png", "src/?.java"))).containsExactly("src/", "src/z.java", "top.png");
        assertThat(names(out(volume, "/w", Outgoing.Format.TAR, "none"))).isEmpty();
        assertThat(names(out(volume, "/w/top.png", Outgoing.Format.TAR))).containsExactly("top.png");
    }

    private static List<String> names(byte[] tar) throws IOException {
        var names = new ArrayList<String>();
        var reader = new TarReader(new ByteArrayInputStream(tar));
        for (var entry = reader.next(); entry != null; entry = reader.next()) {
            names.add(entry.name());
        }
        return names;
    }

    @Test
    void aPatternOfManyStarsTakesNoTime() {
        var globs = Globs.of(List.of("**/".repeat(300) + "a*a*a*a*a*a*a*b"));
        long begun = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            globs.match(List.of("a".repeat(200), "a".repeat(200), "a".repeat(200)));
        }
        assertThat(System.nanoTime() - begun).isLessThan(10_000_000_000L);
    }

    @Test
    void deepTreesCanBeRemoved() throws Exception {
        try (var root = POOL.pool().volumes().open(volume)) {
            var dir = root;
            for (int i = 0; i < 700; i++) {
                dir.mkdir("d", 0755);
                var below = dir.dirAt("d");
                if (dir != root) {
                    dir.close();
                }
                dir = below;
            }
            dir.close();
        }
        try (var tree = tree(volume)) {
            tree.remove("/d", true);
        }
        assertThat(look(volume, true)).isEmpty();
    }
}
