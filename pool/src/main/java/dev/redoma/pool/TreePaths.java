// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Names;
import dev.redoma.kernel.Stat;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.util.ArrayList;
import java.util.List;

/// Paths of a tree as callers write them, from its root, and what is said when one cannot be taken.
final class TreePaths {
    private static final int LONGEST = 4095;

    private TreePaths() {}

    /// Components; none for the root itself.
    static List<String> parts(String field, String path) {
        if (path.isEmpty() || Names.encode(path).length > LONGEST || path.indexOf('\0') >= 0 || path.chars().anyMatch(c -> c >= 0xD800 && c <= 0xDFFF && !paired(path))) {
            throw Problem.field(field, "is no path", "1 to " + LONGEST + " bytes of UTF-8 without NUL");
        }
        var parts = new ArrayList<String>();
        for (var part : Names.parse(path).split("/")) {
            if (part.equals("..")) {
                throw Problem.field(field, "has '..' in it", "a path from the root of the volume");
            }
            if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        return parts;
    }

    private static boolean paired(String path) {
        return java.nio.charset.StandardCharsets.UTF_8.newEncoder().canEncode(path);
    }

    static String join(List<String> parts) {
        return parts.isEmpty() ? "." : String.join("/", parts);
    }

    static String shown(List<String> parts) {
        return "/" + Names.printable(String.join("/", parts));
    }

    /// What the kernel's refusal means to the caller.
    static RedomaException refused(KernelException e, String path) {
        if (e.is(Errno.ENOENT)) {
            return Problem.of(Code.FILE_NOT_FOUND, "Nothing is at " + path + ".", "Check the path.").with("path", path).raise(e);
        }
        if (e.is(Errno.EEXIST, Errno.ENOTEMPTY)) {
            return Problem.of(Code.FILE_EXISTS, path + " is there, or is not empty.", "Remove it first, or say recursive.").with("path", path).raise(e);
        }
        if (e.is(Errno.EDQUOT, Errno.ENOSPC)) {
            return Problem.of(Code.DISK_FULL, "The volume is full at " + path + ".", "Remove files, or make it larger.").with("path", path).raise(e);
        }
        if (e.is(Errno.ENOTDIR, Errno.ELOOP, Errno.EISDIR, Errno.ENAMETOOLONG, Errno.EINVAL, Errno.ENXIO, Errno.EBUSY)) {
            return refused(path, Errno.name(e.errno()), e);
        }
        return e;
    }

    private static RedomaException refused(String path, String why, KernelException e) {
        return Problem.of(Code.FILE_REFUSED, path + " cannot be used so (" + why + ").", "Check with stat what is there.").with("path", path).raise(e);
    }

    static RedomaException refused(String path, String what) {
        return Problem.of(Code.FILE_REFUSED, path + " is " + what + ".", "Check with stat what is there.").with("path", path).raise();
    }

    static String kind(Stat.Type type) {
        return switch (type) {
            case FILE -> "a file";
            case DIRECTORY -> "a directory";
            case SYMLINK -> "a link";
            case FIFO -> "a FIFO";
            case SOCKET -> "a socket";
            case CHAR, BLOCK -> "a device";
        };
    }
}
