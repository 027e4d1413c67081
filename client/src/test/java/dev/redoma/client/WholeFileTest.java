// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who can read what was fetched.
class WholeFileTest {
    @TempDir
    Path dir;

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void aSecretIsItsOwnersAloneAndAFailureLeavesNothing() throws Exception {
        WholeFile.secret(dir.resolve("s"), out -> out.write('x'));
        assertThat(mode(dir.resolve("s"))).isEqualTo("rw-------");
        assertThatThrownBy(() -> WholeFile.write(dir.resolve("f"), out -> {
            throw new IOException("broken off");
        })).hasMessage("broken off");
        assertThat(dir).isDirectoryContaining(p -> p.endsWith("s")).isDirectoryNotContaining(p -> !p.endsWith("s"));
    }

    @Test
    void othersGetWhatTheUmaskOfTheCallerSays() throws Exception {
        for (var umask : new String[] {"077", "022"}) {
            var file = dir.resolve("of" + umask);
            var process = new ProcessBuilder("sh", "-c", "umask " + umask + "; exec \"$0\" -XX:TieredStopAtLevel=1 -cp \"$1\" dev.redoma.client.WholeFileTest \"$2\"", Path.of(System.getProperty("java.home"), "bin/java").toString(),
                    System.getProperty("java.class.path"), file.toString()).inheritIO().start();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(mode(file)).isEqualTo(umask.equals("077") ? "rw-------" : "rw-r--r--");
        }
    }

    /// In a process of its own, which has the umask.
    public static void main(String[] args) throws IOException {
        WholeFile.write(Path.of(args[0]), out -> out.write('x'));
    }
}
