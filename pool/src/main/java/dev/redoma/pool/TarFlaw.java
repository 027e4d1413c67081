// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// What is wrong with an archive; becomes ARCHIVE_REFUSED, naming the member.
final class TarFlaw extends IOException {
    private static final long serialVersionUID = 1L;

    private @Nullable String member;
    private boolean noTar;

    TarFlaw(String what) {
        super(what);
    }

    /// Of what is no tar at all: its very first header is none.
    static TarFlaw noTar() {
        return new TarFlaw("it is no tar").asNoTar();
    }

    private TarFlaw asNoTar() {
        noTar = true;
        return this;
    }

    boolean isNoTar() {
        return noTar;
    }

    /// Of a member that is not the one that its reader was at.
    TarFlaw at(String name) {
        member = name;
        return this;
    }

    @Nullable String member() {
        return member;
    }
}
