// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.model.wire.Sandbox;
import java.io.File;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExampleTest {
    private static final Path SOURCE = Path.of(System.getProperty("redoma.root", ".."), "examples/java-client/Example.java");

    @Test
    void itCompilesAgainstClientAndModelAlone(@TempDir Path scratch) throws Exception {
        var alone = place(RedomaClient.class) + File.pathSeparator + place(Sandbox.class);
        var compiler = ToolProvider.getSystemJavaCompiler();
        var said = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            var task = compiler.getTask(said, files, null, List.of("-proc:none", "-classpath", alone, "-d", scratch.toString()), null, files.getJavaFileObjects(SOURCE));
            assertThat(task.call()).as(said::toString).isTrue();
        }
        assertThat(scratch.resolve("Example.class")).exists();
    }

    @Test
    void itIsAboutThirtyLines() throws Exception {
        assertThat(Files.readAllLines(SOURCE).stream().dropWhile(line -> !line.startsWith("public final class"))).hasSizeLessThanOrEqualTo(30);
    }

    private static Path place(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
}
