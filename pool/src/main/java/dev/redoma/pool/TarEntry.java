// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// One member of a tar as it stands there: nothing checked but lengths. Names as `Names` decodes them.
record TarEntry(
        Kind kind, String name, int mode, long uid, long gid, long size, Instant modified, String link, Map<String, byte[]> xattrs) {

    /// What a member is; OTHER is a type that we do not know.
    enum Kind {
        FILE, HARDLINK, SYMLINK, CHAR, BLOCK, DIRECTORY, FIFO, SPARSE, OTHER;

        static Kind of(int flag) {
            return switch (flag) {
                case 0, '0', '7' -> FILE;
                case '1' -> HARDLINK;
                case '2' -> SYMLINK;
                case '3' -> CHAR;
                case '4' -> BLOCK;
                case '5' -> DIRECTORY;
                case '6' -> FIFO;
                case 'S' -> SPARSE;
                default -> OTHER;
            };
        }
    }

    Optional<byte[]> xattr(String name) {
        return Optional.ofNullable(xattrs.get(name));
    }
}
