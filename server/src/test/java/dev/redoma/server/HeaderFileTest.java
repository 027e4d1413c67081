// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Headers that an operator gives to what is sent elsewhere.
class HeaderFileTest {
    @TempDir
    private Path dir;

    private Path file(String content, String mode) throws IOException {
        var file = Files.writeString(dir.resolve("headers"), content);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    @Test
    void linesAreHeadersAndTheKindOfTheBodyIsOurs() throws Exception {
        assertThat(HeaderFile.read(null, "a/b")).isEqualTo(Map.of("Content-Type", "a/b"));
        assertThat(HeaderFile.read(file("Authorization:  Bearer x y \n\nX-Own: 1\n", "rw-------"), "a/b")).isEqualTo(Map.of("Authorization", "Bearer x y", "X-Own", "1", "Content-Type", "a/b"));
    }

    @Test
    void whatOthersMayReadAndWhatIsNoHeaderIsRefused() throws Exception {
        for (String mode : List.of("rw-r-----", "rw----r--", "rwx------")) {
            assertThatThrownBy(() -> HeaderFile.read(file("A: b\n", mode), "a/b")).isInstanceOf(IOException.class).hasMessageContaining("others than its owner");
        }
        for (String line : List.of("no colon", "a b: c", ": c", "A:", "A: b\u0007c", "A: caf\u00e9")) {
            assertThatThrownBy(() -> HeaderFile.read(file(line + "\n", "rw-------"), "a/b")).as(line).isInstanceOf(IOException.class).hasMessageContaining("no 'Name: value'");
        }
        assertThatThrownBy(() -> HeaderFile.read(file("A: " + "b".repeat(17_000), "rw-------"), "a/b")).hasMessageContaining("more than");
    }
}
