// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.Profile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// One call of the command line within this JVM, and what came of it.
record Called(int code, byte[] out, String err) {

    static Called with(URI server, String... args) {
        return typing(server, "", args);
    }

    static Called typing(URI server, String stdin, String... args) {
        return call(Optional.of(new Profile(server.toString(), "e2b_key", null)), stdin, args);
    }

    static Called withoutServer(String... args) {
        return call(Optional.empty(), "", args);
    }

    private static Called call(Optional<Profile> profile, String stdin, String... args) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var io = new Io(new ByteArrayInputStream(stdin.getBytes(StandardCharsets.UTF_8)), out, new PrintStream(err, true, StandardCharsets.UTF_8), () -> profile);
        int code = Cli.run(args, io);
        return new Called(code, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
    }

    String text() {
        return new String(out, StandardCharsets.UTF_8);
    }
}
