// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ModernJarTest {

    @Test
    void everyClassOfPicocliPassesTheVerifierAfterwards(@TempDir Path scratch) throws Exception {
        var old = Path.of(CommandLine.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        var fresh = scratch.resolve("modern.jar");
        ModernJar.main(new String[] {old.toString(), fresh.toString()});
        try (var loader = new URLClassLoader(new URL[] {fresh.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
                var jar = new java.util.jar.JarFile(fresh.toFile())) {
            for (var entry : (Iterable<java.util.jar.JarEntry>) jar.stream()::iterator) {
                boolean ours = entry.getName().startsWith("picocli/") && entry.getName().endsWith(".class") && !entry.getName().contains("groovy");
                if (ours) {
                    Class.forName(entry.getName().replace('/', '.').replaceAll("\\.class$", ""), true, loader);
                    try (var in = jar.getInputStream(entry)) {
                        assertThat(in.readNBytes(8)[7]).isGreaterThanOrEqualTo((byte) 50);
                    }
                }
            }
        }
        assertThat(Files.size(fresh)).isGreaterThan(100_000);
    }
}
