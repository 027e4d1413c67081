// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderRoundTripTest {
    @TempDir
    Path scratch;

    private Path from;
    private Path to;

    @BeforeEach
    void folders() throws IOException {
        from = Files.createDirectory(scratch.resolve("from"));
        to = scratch.resolve("to");
    }

    private Unpacked roundTrip() throws IOException {
        var tar = new ByteArrayOutputStream();
        Pack.folder(from, tar, n -> {});
        return Unpack.into(to, new ByteArrayInputStream(tar.toByteArray()), Long.MAX_VALUE, n -> {});
    }

    @Test
    void modesTimesLinksAndEmptyFoldersSurvive() throws Exception {
        for (var mode : List.of("rwxr-xr-x", "rw-r--r--", "rw-------", "r--r--r--")) {
            var file = Files.writeString(from.resolve(mode), mode);
            Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2020-02-03T04:05:06.123456789Z")));
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        }
        var empty = Files.createDirectory(from.resolve("empty"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("r-x------")));
        Files.setLastModifiedTime(empty, FileTime.from(Instant.parse("2001-01-01T00:00:00Z")));
        Files.createSymbolicLink(from.resolve("link"), Path.of("../from/./rwxr-xr-x"));
        Thread.sleep(20);
        roundTrip();
        for (var mode : List.of("rwxr-xr-x", "rw-r--r--", "rw-------", "r--r--r--")) {
            var file = to.resolve(mode);
            assertThat(file).hasContent(mode);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo(mode);
            assertThat(Files.getLastModifiedTime(file).to(TimeUnit.NANOSECONDS)).isEqualTo(Files.getLastModifiedTime(from.resolve(mode)).to(TimeUnit.NANOSECONDS));
        }
        assertThat(to.resolve("empty")).isEmptyDirectory();
        assertThat(Files.getLastModifiedTime(to.resolve("empty")).toInstant()).isEqualTo(Instant.parse("2001-01-01T00:00:00Z"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(to.resolve("empty")))).isEqualTo("r-x------");
        assertThat(Files.readSymbolicLink(to.resolve("link"))).hasToString("../from/./rwxr-xr-x");
        assertThat(Files.getLastModifiedTime(to.resolve("link"), LinkOption.NOFOLLOW_LINKS).toMillis())
                .isEqualTo(Files.getLastModifiedTime(from.resolve("link"), LinkOption.NOFOLLOW_LINKS).toMillis());
    }

    @Test
    void namesOfOneFileStayNamesOfOneFile() throws Exception {
        Files.createDirectory(from.resolve("d"));
        Files.writeString(from.resolve("d/a"), "one");
        Files.createLink(from.resolve("b"), from.resolve("d/a"));
        Files.createLink(scratch.resolve("elsewhere"), Files.writeString(from.resolve("alone"), "two"));
        roundTrip();
        assertThat(Files.getAttribute(to.resolve("b"), "unix:ino")).isEqualTo(Files.getAttribute(to.resolve("d/a"), "unix:ino"));
        assertThat(to.resolve("d/a")).hasContent("one");
        assertThat(to.resolve("alone")).hasContent("two");
        assertThat(Files.getAttribute(to.resolve("alone"), "unix:nlink")).isEqualTo(1);
    }

    @Test
    void longAndForeignNamesSurvive() throws IOException {
        var deep = from;
        for (int i = 0; i < 30; i++) {
            deep = Files.createDirectory(RawName.child(deep, "d".repeat(20)));
        }
        Files.writeString(RawName.child(deep, "f".repeat(255)), "deep");
        Files.writeString(RawName.child(from, "caf\u00c3\u00a9 \u00e2\u0098\u0095"), "utf8");
        Files.writeString(RawName.child(from, "\u00ff\u00fe%2F \n"), "no text at all");
        roundTrip();
        assertThat(Files.readString(RawName.child(to, "caf\u00c3\u00a9 \u00e2\u0098\u0095"))).isEqualTo("utf8");
        assertThat(Files.readString(RawName.child(to, "\u00ff\u00fe%2F \n"))).isEqualTo("no text at all");
        assertThat(Files.readString(RawName.child(to.resolve(from.relativize(deep)), "f".repeat(255)))).isEqualTo("deep");
    }

    @Test
    void aLinkIsNeverFollowedOnTheWayUp() throws IOException {
        var secret = Files.writeString(scratch.resolve("id_test"), "PRIVATE");
        Files.createSymbolicLink(from.resolve("l"), secret);
        Files.createSymbolicLink(from.resolve("d"), scratch);
        var tar = new ByteArrayOutputStream();
        Pack.folder(from, tar, n -> {});
        assertThat(tar.toString(java.nio.charset.StandardCharsets.ISO_8859_1)).doesNotContain("PRIVATE");
        var done = Unpack.into(to, new ByteArrayInputStream(tar.toByteArray()), 1000, n -> {});
        assertThat(Files.readSymbolicLink(to.resolve("l"))).isEqualTo(secret);
        assertThat(done.leavingLinks()).containsExactlyInAnyOrder("l", "d");
    }

    @Test
    void whatIsNoFileIsLeftOutAndNamed() throws Exception {
        new ProcessBuilder("mkfifo", from.resolve("pipe").toString()).start().waitFor();
        assertThat(Pack.folder(from, new ByteArrayOutputStream(), n -> {})).containsExactly(from.toRealPath().resolve("pipe").toString());
    }

    @Test
    void tarReadsWhatIsWrittenAndIsRead() throws Exception {
        Files.writeString(from.resolve("x".repeat(150)), "long");
        Files.writeString(from.resolve("plain"), "plain");
        var ours = scratch.resolve("ours.tar");
        try (var out = Files.newOutputStream(ours)) {
            Pack.folder(from, out, n -> {});
        }
        var there = Files.createDirectory(scratch.resolve("there"));
        assertThat(new ProcessBuilder("tar", "-xf", ours.toString(), "-C", there.toString()).inheritIO().start().waitFor()).isZero();
        assertThat(there.resolve("x".repeat(150))).hasContent("long");
        for (var format : List.of("gnu", "pax", "ustar", "v7")) {
            var theirs = scratch.resolve(format + ".tar");
            Files.deleteIfExists(from.resolve("x".repeat(150)));
            assertThat(new ProcessBuilder("tar", "--format=" + format, "-cf", theirs.toString(), "-C", from.toString(), ".").inheritIO().start().waitFor()).isZero();
            var back = scratch.resolve("back-" + format);
            try (var in = Files.newInputStream(theirs)) {
                Unpack.into(back, in, 1000, n -> {});
            }
            assertThat(back.resolve("plain")).hasContent("plain");
        }
    }

    @Test
    void aMissingFolderIsAnError() {
        assertThatThrownBy(() -> Pack.folder(scratch.resolve("none"), new ByteArrayOutputStream(), n -> {})).isInstanceOf(IOException.class);
        assertThat(Files.exists(scratch.resolve("none"), LinkOption.NOFOLLOW_LINKS)).isFalse();
    }
}
