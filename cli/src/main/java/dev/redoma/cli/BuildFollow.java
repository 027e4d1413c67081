// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Build;
import java.io.IOException;
import java.io.OutputStream;

/// Shows a build until it has ended: its log on stderr, what came of it on stdout. Ctrl-C cancels it.
record BuildFollow(Verb verb) {

    int follow(RedomaClient client, Build begun, boolean detach) throws IOException {
        if (detach) {
            said(begun);
            return Exit.OK;
        }
        try (var interrupted = new OnInterrupt(() -> client.builds().cancel(begun.id()))) {
            return ended(client.builds().follow(begun.id(), new Shown(verb.io)));
        }
    }

    int ended(Build build) {
        var error = build.error();
        if (verb.json || build.state().equals("ready")) {
            said(build);
        } else {
            verb.io.err().println("redoma: the build " + build.id() + " is " + build.state() + (error == null ? "." : ": " + Text.safe(error.detail())));
            if (error != null && error.remedy() != null) {
                verb.io.err().println("        " + error.remedy());
            }
        }
        return build.state().equals("ready") ? Exit.OK : Exit.FAILURE;
    }

    void said(Build build) {
        if (verb.json) {
            verb.print(build);
        } else {
            verb.io.line(build.id() + " " + build.template() + " " + build.state() + (build.digest() == null ? "" : " " + build.digest()));
        }
    }

    /// What steps print, as they print it, but for control characters beside those of lines: a build may be of somebody else's recipe.
    private static final class Shown extends OutputStream {
        private final Io io;

        Shown(Io io) {
            this.io = io;
        }

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int off, int len) {
            var clean = new byte[len];
            int n = 0;
            for (int i = off; i < off + len; i++) {
                if (bytes[i] < 0 || bytes[i] >= 32 && bytes[i] != 127 || bytes[i] == '\n' || bytes[i] == '\t' || bytes[i] == '\r') {
                    clean[n++] = bytes[i];
                }
            }
            io.err().write(clean, 0, n);
        }

        @Override
        public void flush() {
            io.err().flush();
        }
    }
}
