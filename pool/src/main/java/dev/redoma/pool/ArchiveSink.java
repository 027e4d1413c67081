// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.io.IOException;

/// Takes members of an archive that is written. Not thread-safe.
interface ArchiveSink {

    /// `content` gives exactly the entry's size where that is a file.
    void put(TarEntry entry, Content content) throws IOException;

    /// After the last member; the stream stays open.
    void finish() throws IOException;

    /// Bytes of a member; -1 at their end.
    interface Content {
        Content NONE = into -> -1;

        int read(byte[] into) throws IOException;
    }
}
