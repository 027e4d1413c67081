// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import java.io.IOException;

/// A member of an archive that would have acted outside the folder, or that goes past a bound; the message names it.
public final class UnsafeArchiveException extends IOException {
    private static final long serialVersionUID = 1L;

    UnsafeArchiveException(String member, String why) {
        super("archive member '" + member + "' " + why);
    }
}
