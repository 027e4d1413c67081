// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirTest {
    @TempDir
    Path tmp;

    @Test
    void aPathThroughAbsoluteAndUpwardLinksStaysInside() throws Exception {
        Files.writeString(tmp.resolve("passwd"), "outside");
        var root = Files.createDirectories(tmp.resolve("root/etc")).getParent();
        Files.writeString(root.resolve("etc/passwd"), "inside");
        Files.createSymbolicLink(root.resolve("abs"), Path.of("/etc/passwd"));
        Files.createSymbolicLink(root.resolve("up"), Path.of("../../../passwd"));
        try (var dir = Dir.open(root)) {
            assertThat(read(dir, "abs")).isEqualTo("inside");
            assertThatThrownBy(() -> read(dir, "up")).hasMessageContaining("ENOENT");
            assertThatThrownBy(() -> read(dir, "../passwd")).hasMessageContaining("ENOENT");
        }
    }

    @Test
    void anEntryThatIsALinkIsNotFollowed() throws Exception {
        Files.createSymbolicLink(tmp.resolve("link"), Path.of("/etc/passwd"));
        try (var dir = Dir.open(tmp)) {
            assertThat(dir.stat("link").type()).isEqualTo(Stat.Type.SYMLINK);
            assertThat(dir.readlink("link")).isEqualTo("/etc/passwd");
            assertThatThrownBy(() -> dir.openAt("link", Open.RDONLY, 0)).hasMessageContaining("ELOOP");
        }
    }

    @Test
    void moreThanOneComponentIsRefused() {
        try (var dir = Dir.open(tmp)) {
            assertThatThrownBy(() -> dir.mkdir("a/b", 0755)).isInstanceOf(KernelException.class);
            assertThatThrownBy(() -> dir.unlink("..")).isInstanceOf(KernelException.class);
        }
    }

    @Test
    void namesThatAreNotUtf8SurviveTheWayInAndOut() {
        var name = Names.decode(new byte[] {'a', (byte) 0xff, (byte) 0xc3, 'b', (byte) 0xe2, (byte) 0x82, (byte) 0xac});
        assertThat(Names.printable(name)).isEqualTo("a\\xff\\xc3b€");
        try (var dir = Dir.open(tmp)) {
            dir.mkdir(name, 0700);
            assertThat(dir.list(10)).containsExactly(name);
            dir.rmdir(name);
        }
    }

    @Test
    void modeOwnerTimeAndTypeAreAsSet() {
        try (var dir = Dir.open(tmp)) {
            dir.mkfifo("pipe", 0600);
            dir.chmod("pipe", 06751);
            dir.chown("pipe", 70_000, 70_001);
            dir.chmod("pipe", 06751);
            dir.touch("pipe", Instant.ofEpochSecond(12, 345));
            var stat = dir.stat("pipe");
            assertThat(stat.type()).isEqualTo(Stat.Type.FIFO);
            assertThat(stat.mode()).isEqualTo(06751);
            assertThat(stat.uid()).isEqualTo(70_000);
            assertThat(stat.gid()).isEqualTo(70_001);
            assertThat(stat.modified()).isEqualTo(Instant.ofEpochSecond(12, 345));
        }
    }

    @Test
    void aRefusalNamesCallAndErrnoButNoHostPath() {
        try (var dir = Dir.open(tmp)) {
            assertThatThrownBy(() -> dir.rmdir("missing")).isInstanceOfSatisfying(KernelException.class, e -> {
                assertThat(e.errno()).isEqualTo(Errno.ENOENT);
                assertThat(e.getMessage()).contains("unlinkat", "missing", tmp.toString());
                assertThat(e.problem().message()).contains("unlinkat", "ENOENT").doesNotContain(tmp.toString());
            });
        }
    }

    @Test
    void aListingBeyondItsBoundIsRefused() {
        try (var dir = Dir.open(tmp)) {
            for (int i = 0; i < 1500; i++) {
                dir.mkfifo("a-name-of-some-length-" + i, 0600);
            }
            assertThat(dir.list(1500)).hasSize(1500);
            assertThatThrownBy(() -> dir.list(1499)).hasMessageContaining("E2BIG");
        }
    }

    @Test
    void aClosedDescriptorIsRefusedAndClosedTwiceHarmless() {
        var fd = Fd.open(tmp, Open.RDONLY, 0);
        fd.close();
        fd.close();
        assertThatThrownBy(fd::stat).hasMessageContaining("EBADF");
    }

    private static String read(Dir dir, String path) {
        try (var fd = dir.openInside(path, Open.RDONLY, 0)) {
            return new String(fd.readAll(100), StandardCharsets.UTF_8);
        }
    }
}
