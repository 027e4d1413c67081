// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import java.time.Instant;

/// One member of a tar. `name` and `link` hold one raw byte in each char (ISO 8859-1), so that no name is lost to decoding. `kind` is tar's type flag:
/// `0` file, `1` hard link, `2` symbolic link, `3` `4` devices, `5` directory, `6` FIFO.
record TarEntry(String name, char kind, int mode, long size, Instant modified, String link) {

    static TarEntry directory(String name, int mode, Instant modified) {
        return new TarEntry(name, '5', mode, 0, modified, "");
    }

    static TarEntry file(String name, int mode, long size, Instant modified) {
        return new TarEntry(name, '0', mode, size, modified, "");
    }

    static TarEntry link(String name, String target, Instant modified) {
        return new TarEntry(name, '2', 0777, 0, modified, target);
    }

    /// Another name of a member before it.
    static TarEntry same(String name, int mode, String first, Instant modified) {
        return new TarEntry(name, '1', mode, 0, modified, first);
    }

    /// The name as people read it.
    String shown() {
        return new String(name.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1), java.nio.charset.StandardCharsets.UTF_8);
    }
}
