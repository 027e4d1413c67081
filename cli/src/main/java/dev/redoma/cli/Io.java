// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.Profile;
import dev.redoma.client.RedomaClient;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// What a verb reads from and writes to. `out` takes bytes as they are; text for people is UTF-8.
record Io(InputStream in, OutputStream out, PrintStream err, Profiles profiles) {

    /// Finds the server.
    interface Profiles {
        Optional<Profile> load() throws IOException;
    }

    static Io system() {
        return new Io(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out),
                new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.err), 1024), true, StandardCharsets.UTF_8), Profile::load);
    }

    RedomaClient client() throws IOException {
        var profile = profiles.load().orElseThrow(() -> new Failed(Exit.UNREACHABLE, "No server is known: " + Profile.place() + " does not exist.",
                "Start one with 'redoma up --detach', or set REDOMA_URL and REDOMA_KEY."));
        if (!profile.key().chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new Failed(Exit.USAGE, "The key (REDOMA_KEY, or the profile's) holds a line break, a blank or another character that no key has.",
                    "Set it to the key alone, for example: export REDOMA_KEY=$(tr -d '[:space:]' <FILE)");
        }
        try {
            return RedomaClient.connect(URI.create(profile.url()), profile.key());
        } catch (IllegalArgumentException malformed) {
            throw new Failed(Exit.USAGE, String.valueOf(malformed.getMessage()), "Set REDOMA_URL to an address such as http://127.0.0.1:7800.");
        }
    }

    /// One line of text to stdout.
    void line(String text) {
        bytes((text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    void bytes(byte[] bytes) {
        try {
            out.write(bytes);
            out.flush();
        } catch (IOException e) {
            throw new OutputGone(e);
        }
    }

    /// Whether a standard stream of this process (0, 1, 2) is a terminal; told by its name, without loading a console.
    static boolean terminal(int descriptor) {
        try {
            var name = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
            return name.startsWith("/dev/pts/") || name.startsWith("/dev/tty") || name.equals("/dev/console");
        } catch (IOException unknown) {
            return false;
        }
    }

    /// Nobody reads our stdout any more, as in `redoma logs … | head`.
    static final class OutputGone extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OutputGone(IOException cause) {
            super(cause);
        }
    }
}
