// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A root file system as a tar, made on the fly: busybox under its usual names, root and `user`, and the directories that every sandbox
/// has.
public final class TinyRoot {
    private static final List<String> APPLETS = List.of("sh", "ash", "ls", "cat", "echo", "sleep", "id", "mount", "umount", "head", "tail", "nproc", "dd", "rm", "mkdir", "mv",
            "cp", "touch", "chmod", "chown", "seq", "yes", "sha256sum", "wc", "grep", "sed", "awk", "ps", "kill", "true", "false", "env", "pwd", "whoami", "stat", "df", "du",
            "find", "tar", "test", "printf", "hostname", "ln", "readlink", "tty", "stty", "nc", "ip", "free", "mkfifo", "mknod", "sort", "uniq", "tr", "cut", "date", "usleep",
            "setsid", "nohup", "timeout", "ulimit", "su", "killall", "md5sum", "od", "hexdump", "xargs", "tee", "dmesg", "ping", "wget", "vi", "uname", "cmp", "diff", "sync");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private TinyRoot() {}

    public static byte[] tar() throws IOException {
        return with(List.of(), java.util.Map.of());
    }

    /// The same with these files of this host, each at its path, and texts by their names.
    static byte[] with(List<Path> files, java.util.Map<String, String> texts) throws IOException {
        var tar = new TinyRoot();
        for (var dir : List.of("bin", "etc", "dev", "proc", "sys", "run", "root", "home", "usr", "usr/bin", "var", "var/tmp", "mnt", "opt", "srv", "lib")) {
            tar.entry(dir + "/", '5', 0755, 0, "", new byte[0]);
        }
        tar.entry("tmp/", '5', 01777, 0, "", new byte[0]);
        tar.entry("home/user/", '5', 0755, 1000, "", new byte[0]);
        tar.entry("bin/busybox", '0', 0755, 0, "", Files.readAllBytes(Path.of("/bin/busybox")));
        for (var applet : APPLETS) {
            tar.entry("bin/" + applet, '2', 0777, 0, "busybox", new byte[0]);
        }
        tar.entry("usr/bin/env", '2', 0777, 0, "../../bin/busybox", new byte[0]);
        tar.text("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n");
        tar.text("etc/group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n");
        tar.text("etc/hosts", "127.0.0.1 localhost\n");
        tar.text("etc/os-release", "ID=tiny\nNAME=Tiny\n");
        var directories = new java.util.TreeSet<String>();
        for (var file : files) {
            for (var up = file.getParent(); up != null && up.getNameCount() > 0; up = up.getParent()) {
                directories.add(up.toString().substring(1) + "/");
            }
        }
        for (var directory : directories) {
            tar.entry(directory, '5', 0755, 0, "", new byte[0]);
        }
        for (var file : files) {
            tar.entry(file.toString().substring(1), '0', 0755, 0, "", Files.readAllBytes(file));
        }
        texts.forEach(tar::text);
        tar.out.write(new byte[1024]);
        return tar.out.toByteArray();
    }

    /// Nothing but one file.
    static byte[] only(String name) {
        var tar = new TinyRoot();
        tar.text(name, name);
        tar.out.writeBytes(new byte[1024]);
        return tar.out.toByteArray();
    }

    private void text(String name, String content) {
        entry(name, '0', 0644, 0, "", content.getBytes(StandardCharsets.UTF_8));
    }

    private void entry(String name, char type, int mode, int owner, String target, byte[] content) {
        var head = new byte[512];
        put(head, 0, name);
        put(head, 100, String.format("%07o", mode));
        put(head, 108, String.format("%07o", owner));
        put(head, 116, String.format("%07o", owner));
        put(head, 124, String.format("%011o", content.length));
        put(head, 136, String.format("%011o", 1_700_000_000L));
        head[156] = (byte) type;
        put(head, 157, target);
        put(head, 257, "ustar");
        put(head, 263, "00");
        put(head, 148, "        ");
        int sum = 0;
        for (byte b : head) {
            sum += b & 0xff;
        }
        put(head, 148, String.format("%06o", sum));
        head[154] = 0;
        out.writeBytes(head);
        out.writeBytes(content);
        out.writeBytes(new byte[(512 - content.length % 512) % 512]);
    }

    private static void put(byte[] head, int at, String text) {
        var bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, head, at, bytes.length);
    }
}
