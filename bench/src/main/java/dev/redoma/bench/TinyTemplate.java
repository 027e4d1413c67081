// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;

/// A root file system of busybox and a static no-op: enough to run a shell, small enough to import at once.
final class TinyTemplate {
    private TinyTemplate() {}

    /// Makes the tar; `noop` may be absent (null).
    static Path tar(Path dir, Path noop) throws IOException {
        return tar(dir, noop, root -> {});
    }

    /// The same with what SDKs take for granted: a user `user`, and something that answers to the name of bash.
    static Path forSdks(Path dir, Path noop) throws IOException {
        return tar(dir, noop, root -> {
            Files.writeString(root.resolve("etc/passwd"), "user:x:1000:1000:user:/home/user:/bin/sh\n", StandardOpenOption.APPEND);
            Files.writeString(root.resolve("etc/group"), "user:x:1000:\n", StandardOpenOption.APPEND);
            var bash = Files.writeString(root.resolve("bin/bash"), "#!/bin/sh\nexec /bin/sh \"$@\"\n");
            Files.setPosixFilePermissions(bash, PosixFilePermissions.fromString("rwxr-xr-x"));
        });
    }

    private interface More {
        void in(Path root) throws IOException;
    }

    private static Path tar(Path dir, Path noop, More more) throws IOException {
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
        more.in(root);
        var tar = dir.resolve("tiny.tar");
        Commands.quiet("tar", "--owner=0", "--group=0", "--numeric-owner", "-cf", tar.toString(), "-C", root.toString(), ".");
        deleteTree(root);
        return tar;
    }

    static void deleteTree(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        try (var all = Files.walk(root)) {
            for (var path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
