// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.RedomaException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JoinedTarTest {

    @Test
    void membersOfAllPartsAreInTheWholeAsTarReadsIt(@TempDir Path dir) throws Exception {
        Files.writeString(dir.resolve("recipe-of-our-own"), "x");
        Files.writeString(dir.resolve("a".repeat(150)), "long");
        Files.createSymbolicLink(dir.resolve("link"), Path.of("target"));
        var first = tar(dir, "--format=gnu", "a".repeat(150), "link");
        var second = tar(dir, "--format=pax", "a".repeat(150), "recipe-of-our-own");
        var whole = dir.resolve("whole.tar");
        try (var out = Files.newOutputStream(whole)) {
            var joined = new JoinedTar(out);
            joined.members(new ByteArrayInputStream(first));
            joined.members(new ByteArrayInputStream(packed(second)));
            joined.file("made", "content".getBytes(StandardCharsets.UTF_8));
            joined.end();
        }
        assertThat(run(dir, "tar", "tf", "whole.tar").lines()).containsExactly("a".repeat(150), "link", "a".repeat(150), "recipe-of-our-own", "made");
        assertThat(run(dir, "tar", "xOf", "whole.tar", "made")).isEqualTo("content");
    }

    @Test
    void whatEndsInTheMiddleOrIsNoTarIsRefused(@TempDir Path dir) throws Exception {
        Files.write(dir.resolve("file"), new byte[4000]);
        var tar = tar(dir, "--format=gnu", "file");
        for (var broken : List.of(Arrays.copyOf(tar, 1000), "no tar at all, ".repeat(100).getBytes(StandardCharsets.UTF_8))) {
            assertThatThrownBy(() -> new JoinedTar(new ByteArrayOutputStream()).members(new ByteArrayInputStream(broken))).isInstanceOf(RedomaException.class);
        }
    }

    private static byte[] packed(byte[] plain) throws IOException {
        var out = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(out)) {
            gzip.write(plain);
        }
        return out.toByteArray();
    }

    private static byte[] tar(Path dir, String format, String... names) throws Exception {
        var argv = new java.util.ArrayList<>(List.of("tar", format, "-cf", "part.tar"));
        argv.addAll(List.of(names));
        run(dir, argv.toArray(String[]::new));
        return Files.readAllBytes(dir.resolve("part.tar"));
    }

    private static String run(Path dir, String... argv) throws Exception {
        var process = new ProcessBuilder(argv).directory(dir.toFile()).redirectErrorStream(true).start();
        var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        return out;
    }
}
