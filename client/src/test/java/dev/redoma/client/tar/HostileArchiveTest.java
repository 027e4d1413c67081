// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a sandbox may send to hurt the one who downloads it.
class HostileArchiveTest {
    @TempDir
    Path scratch;

    private Path into;
    private TreeMap<String, String> outside;

    @BeforeEach
    void outsideOfTheFolder() throws IOException {
        into = Files.createDirectory(scratch.resolve("into"));
        Files.createDirectory(scratch.resolve("victim"));
        Files.writeString(scratch.resolve("victim/file"), "untouched");
        outside = listing();
    }

    /// Whatever the archive was: beside the folder nothing changed.
    @AfterEach
    void nothingOutsideChanged() throws IOException {
        assertThat(listing()).isEqualTo(outside);
    }

    private TreeMap<String, String> listing() throws IOException {
        var all = new TreeMap<String, String>();
        try (var walk = Files.walk(scratch)) {
            for (var path : walk.filter(p -> !p.startsWith(scratch.resolve("into"))).toList()) {
                all.put(path.toString(), Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) ? Files.readString(path) : "");
            }
        }
        return all;
    }

    private static TarEntry entry(String name, char kind, String link) {
        return new TarEntry(name, kind, 0644, kind == '0' ? 4 : 0, Instant.EPOCH, link);
    }

    private static byte[] tar(TarEntry... entries) throws IOException {
        var out = new ByteArrayOutputStream();
        var tar = new TarWriter(out);
        for (var e : entries) {
            tar.entry(e);
            if (e.kind() == '0') {
                tar.data(new ByteArrayInputStream("evil".getBytes()), e.size(), "x");
            }
        }
        tar.finish();
        return out.toByteArray();
    }

    private Unpacked unpack(TarEntry... entries) throws IOException {
        return Unpack.into(into, new ByteArrayInputStream(tar(entries)), 1 << 20, n -> {});
    }

    @Test
    void aNameThatLeadsOutIsRefusedByName() {
        for (var name : List.of("../victim/file", "/tmp/x", "a/../../victim/file", "..", "a/..")) {
            assertThatThrownBy(() -> unpack(entry(name, '0', ""))).as(name).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> unpack(entry("../victim/file", '0', ""))).hasMessageContaining("../victim/file");
    }

    @Test
    void nothingIsWrittenThroughALinkOfTheArchive() throws IOException {
        assertThatThrownBy(() -> unpack(entry("d", '2', "../victim"), entry("d/file", '0', ""))).isInstanceOf(UnsafeArchiveException.class);
        assertThatThrownBy(() -> unpack(entry("f", '2', "../victim/file"), entry("f", '0', ""), entry("f/x", '0', ""))).isInstanceOf(UnsafeArchiveException.class);
    }

    @Test
    void nothingIsWrittenThroughALinkThatStoodThere() throws IOException {
        Files.createSymbolicLink(into.resolve("d"), scratch.resolve("victim"));
        Files.createSymbolicLink(into.resolve("f"), scratch.resolve("victim/file"));
        assertThatThrownBy(() -> unpack(entry("d/file", '0', ""))).isInstanceOf(UnsafeArchiveException.class);
        assertThatThrownBy(() -> unpack(entry("d", '5', ""))).isInstanceOf(UnsafeArchiveException.class);
        unpack(entry("f", '0', ""));
        assertThat(Files.isSymbolicLink(into.resolve("f"))).isFalse();
    }

    @Test
    void aHardLinkToOutsideIsRefused() throws IOException {
        assertThatThrownBy(() -> unpack(entry("h", '1', "../victim/file"))).isInstanceOf(UnsafeArchiveException.class);
        assertThatThrownBy(() -> unpack(entry("h", '1', "/etc/passwd"))).isInstanceOf(UnsafeArchiveException.class);
        Files.createSymbolicLink(into.resolve("d"), scratch.resolve("victim"));
        assertThatThrownBy(() -> unpack(entry("h", '1', "d/file"))).isInstanceOf(UnsafeArchiveException.class);
    }

    @Test
    void aHardLinkInsideWorks() throws IOException {
        unpack(entry("a/x", '0', ""), entry("b/y", '1', "a/x"));
        assertThat(into.resolve("b/y")).hasContent("evil");
    }

    @Test
    void devicesAndFifosAreLeftOutAndNamed() throws IOException {
        var done = unpack(entry("null", '3', ""), entry("disk", '4', ""), entry("pipe", '6', ""), entry("ok", '0', ""));
        assertThat(done.leftOut()).containsExactly("null", "disk", "pipe");
        assertThat(into.toFile().list()).containsExactly("ok");
    }

    @Test
    void setIdBitsAreNotTakenOver() throws IOException {
        Unpack.into(into, new ByteArrayInputStream(tar(new TarEntry("s", '0', 06755, 4, Instant.EPOCH, ""))), 100, n -> {});
        assertThat((int) Files.getAttribute(into.resolve("s"), "unix:mode") & 07777).isEqualTo(0755);
    }

    @Test
    void moreBytesThanAllowedAreRefusedBeforeTheyAreWritten() {
        assertThatThrownBy(() -> Unpack.into(into, endless(), 1 << 20, n -> {})).isInstanceOf(UnsafeArchiveException.class).hasMessageContaining("limit");
        assertThat(into.toFile().list()).isEmpty();
    }

    private static InputStream endless() throws IOException {
        var head = new ByteArrayOutputStream();
        new TarWriter(head).entry(TarEntry.file("huge", 0644, 1L << 55, Instant.EPOCH));
        return new java.io.SequenceInputStream(new ByteArrayInputStream(head.toByteArray()), new InputStream() {
            @Override
            public int read() {
                return 0;
            }
        });
    }

    @Test
    void aHugeExtendedHeaderIsRefused() throws IOException {
        var out = new ByteArrayOutputStream();
        new TarWriter(out).entry(new TarEntry("h", 'x', 0644, 1L << 32, Instant.EPOCH, ""));
        assertThatThrownBy(() -> Unpack.into(into, new ByteArrayInputStream(out.toByteArray()), 100, n -> {})).hasMessageContaining("extended header");
    }

    @Test
    void damageEndsInAnErrorOrInTheFolder() throws IOException {
        var good = tar(entry("a/b", '0', ""), entry("l", '2', "a"), entry("n".repeat(200), '0', ""));
        var random = new Random(7);
        for (int i = 0; i < 3000; i++) {
            var bad = good.clone();
            for (int k = 0; k <= i % 4; k++) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            try {
                Unpack.into(into.resolve("n" + i), new ByteArrayInputStream(bad, 0, i % 3 == 0 ? random.nextInt(bad.length) : bad.length), 1 << 16, n -> {});
            } catch (IOException refused) {
                assertThat(refused.getMessage()).isNotNull();
            }
        }
    }
}
