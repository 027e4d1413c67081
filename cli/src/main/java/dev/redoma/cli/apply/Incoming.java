// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import java.io.IOException;
import java.io.InputStream;

/// Takes the contents of what comes: each is what the reviewed digest says, or nothing is applied. Not thread-safe.
public sealed interface Incoming permits IncomingFiles, IncomingBlobs {
    /// A file of the change set, by its path as the set tells it; one that is not wanted is passed over.
    void file(String path, InputStream content) throws IOException;
}
