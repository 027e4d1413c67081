// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.io.IOException;

/// What is wrong with an archive; becomes ARCHIVE_REFUSED, naming the member.
final class TarFlaw extends IOException {
    private static final long serialVersionUID = 1L;

    TarFlaw(String what) {
        super(what);
    }
}
