// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Members of an archive in order, nothing of them checked but lengths. Not thread-safe.
interface ArchiveReader {

    /// The next member, or null at the end; the content of the one before that was not read is passed over.
    @Nullable TarEntry next() throws IOException;

    /// Reads content of the current member; -1 at its end.
    int read(byte[] into) throws IOException;
}
