// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What is packed with `.gitignore` in force is what git itself would list, on trees and patterns made at random.
class IgnoresTest {
    private static final List<String> NAMES = List.of("a", "b", "ab", "foo", "foo.o", "bar.log", "x y", "build", "b#", "!n", "[z]", "ä.txt", "A", "a-b");
    private static final List<String> GLOBS = List.of("*", "a", "b", "?", "*.o", "*.log", "foo*", "[ab]", "[!a]*", "[a-c]?", "build", "**", "x\\ y", "x y", "\\!n", "b\\#", "\\[z\\]",
            "ä.txt", "[[:upper:]]", "*b", "a-b", "[]-]*", "foo.?");

    @TempDir
    Path dir;

    /// Making files costs most: each tree serves for several sets of patterns.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void agreesWithGit(long seed) throws Exception {
        var random = new Random(seed);
        for (int trees = 0; trees < 2; trees++) {
            var tree = Files.createDirectory(dir.resolve("t" + trees));
            git(tree, "init", "-q");
            var folders = new ArrayList<>(List.of(tree));
            grow(random, tree, 3, folders);
            for (int round = 0; round < 6; round++) {
                ignore(random, folders);
                assertThat(packed(tree)).as("seed %d, tree %d, round %d: %s", seed, trees, round, ignores(folders)).isEqualTo(listed(tree));
            }
        }
    }

    private static void grow(Random random, Path folder, int depth, List<Path> folders) throws Exception {
        for (int i = 0; i < 6; i++) {
            var path = folder.resolve(NAMES.get(random.nextInt(NAMES.size())));
            if (Files.exists(path)) {
                continue;
            }
            if (depth > 0 && random.nextInt(3) > 0) {
                folders.add(Files.createDirectory(path));
                grow(random, path, depth - 1, folders);
            } else {
                Files.createFile(path);
            }
        }
    }

    /// The root has patterns, and every third of the others.
    private static void ignore(Random random, List<Path> folders) throws Exception {
        for (var folder : folders) {
            var file = folder.resolve(".gitignore");
            if (folder == folders.getFirst() || random.nextInt(3) == 0) {
                Files.writeString(file, patterns(random));
            } else {
                Files.deleteIfExists(file);
            }
        }
    }

    private static String patterns(Random random) {
        var out = new StringBuilder("# made at random\n\n");
        for (int i = random.nextInt(5); i >= 0; i--) {
            var glob = new StringBuilder(random.nextInt(4) == 0 ? "!" : "").append(random.nextInt(4) == 0 ? "/" : "");
            for (int parts = random.nextInt(3); parts >= 0; parts--) {
                glob.append(GLOBS.get(random.nextInt(GLOBS.size()))).append(parts > 0 ? "/" : "");
            }
            out.append(glob).append(random.nextInt(4) == 0 ? "/" : "").append(random.nextInt(6) == 0 ? "  " : "").append(random.nextInt(6) == 0 ? "\r\n" : "\n");
        }
        return out.toString();
    }

    /// Regular files that are in the archive.
    private static TreeSet<String> packed(Path tree) throws Exception {
        var out = new ByteArrayOutputStream();
        Pack.folder(tree, true, out, done -> {});
        var names = new TreeSet<String>();
        var reader = new TarReader(new ByteArrayInputStream(out.toByteArray()));
        for (var entry = reader.next(); entry != null; entry = reader.next()) {
            if (entry.kind() == '0' && !entry.name().startsWith(".git/")) {
                names.add(new String(entry.name().getBytes(ISO_8859_1), UTF_8));
            }
        }
        return names;
    }

    private static TreeSet<String> listed(Path tree) throws Exception {
        var names = new TreeSet<String>();
        for (var name : new String(git(tree, "ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"), UTF_8).split("\0")) {
            if (!name.isEmpty()) {
                names.add(name);
            }
        }
        return names;
    }

    private static List<String> ignores(List<Path> folders) throws Exception {
        var all = new ArrayList<String>();
        for (var folder : folders) {
            var file = folder.resolve(".gitignore");
            if (Files.exists(file)) {
                all.add(folders.getFirst().relativize(file) + ": " + Files.readString(file));
            }
        }
        return all;
    }

    private static byte[] git(Path tree, String... args) throws Exception {
        var command = new ArrayList<>(List.of("git", "-C", tree.toString()));
        command.addAll(List.of(args));
        var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("GIT_CONFIG_NOSYSTEM", "1");
        builder.environment().put("HOME", tree.toString());
        builder.environment().put("LC_ALL", "C.UTF-8");
        var process = builder.start();
        var out = process.getInputStream().readAllBytes();
        assertThat(process.waitFor()).isZero();
        return out;
    }

    @Test
    void withoutTheOptionAllGoes() throws Exception {
        Files.writeString(dir.resolve(".gitignore"), "*\n");
        Files.writeString(dir.resolve("kept"), "");
        var out = new ByteArrayOutputStream();
        Pack.folder(dir, out, done -> {});
        assertThat(out.toString(ISO_8859_1)).contains("kept");
    }
}
