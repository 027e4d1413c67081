// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.model.RegistryLogin;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// A login for the registry of an image, of whoever orders the build.
final class RegistryFlags {
    @Option(names = "--registry-username", paramLabel = "NAME", description = "Log in to the registry of the image as NAME; the server forgets it when the build has ended.")
    @Nullable String username;

    @Option(names = "--registry-password-file", paramLabel = "FILE", description = "File with the password for --registry-username; - reads it from stdin.")
    @Nullable String passwordFile;

    @Nullable RegistryLogin login(Io io) throws IOException {
        if (username == null && passwordFile == null) {
            return null;
        }
        if (username == null || passwordFile == null) {
            throw new Failed(Exit.USAGE, "--registry-username and --registry-password-file go together.", "Give both, or neither.");
        }
        return new RegistryLogin(username, passwordFile.equals("-") ? new String(io.in().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8).stripTrailing()
                : java.nio.file.Files.readString(Path.of(passwordFile)).stripTrailing());
    }
}
