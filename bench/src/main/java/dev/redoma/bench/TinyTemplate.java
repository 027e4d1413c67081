// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;

/// A root file system of busybox and a static no-op: enough to run a shell, small enough to import at once.
final class TinyTemplate {
    private TinyTemplate() {}

    /// Makes the tar; `noop` may be absent (null).
    static Path tar(Path dir, Path noop) throws IOException {
        var root = dir.resolve("tiny");
        var bin = Files.createDirectories(root.resolve("bin"));
        for (var name : new String[] {"etc", "root", "tmp", "var/tmp", "run", "dev", "proc", "sys", "home/user"}) {
            Files.createDirectories(root.resolve(name));
        }
        Files.copy(Path.of("/bin/busybox"), bin.resolve("busybox"), StandardCopyOption.COPY_ATTRIBUTES);
        for (var applet : Commands.output("/bin/busybox", "--list").lines().filter(a -> !a.equals("busybox")).toList()) {
            Files.createSymbolicLink(bin.resolve(applet), Path.of("busybox"));
        }
        Files.copy(noop, bin.resolve("noop"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.writeString(root.resolve("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n");
        Files.writeString(root.resolve("etc/group"), "root:x:0:\nnogroup:x:65534:\n");
        Files.writeString(root.resolve("etc/hostname-of-template"), "tiny\n");
        var tar = dir.resolve("tiny.tar");
        Commands.quiet("tar", "--owner=0", "--group=0", "--numeric-owner", "-cf", tar.toString(), "-C", root.toString(), ".");
        deleteTree(root);
        return tar;
    }

    static void deleteTree(Path root) throws IOException {
        try (var all = Files.walk(root)) {
            for (var path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
