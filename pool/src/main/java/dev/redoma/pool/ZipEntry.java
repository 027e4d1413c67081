// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.time.Instant;
import java.util.Map;

/// A member of a zip as its central directory has it. `header`: where its local header begins.
record ZipEntry(String name, TarEntry.Kind kind, int mode, Instant modified, boolean deflated, int crc, long packed, long size, long header) {

    TarEntry member(String link) {
        boolean file = kind == TarEntry.Kind.FILE;
        return new TarEntry(kind, name, mode, 0, 0, file ? size : 0, modified, link, Map.of());
    }
}
