// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.http.Json;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.server.keys.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hands the starter of the server what a client needs: address, an operator's key, the key to check exports with. The key in the file
/// is kept while it is good; else a new one is made. The server itself keeps only a hash.
final class OperatorProfile {
    private static final Logger LOG = LoggerFactory.getLogger(OperatorProfile.class);

    private OperatorProfile() {}

    /// The file's content, as the clients read it.
    public record Profile(String url, String key, @Nullable String auditKey) {}

    static Profile write(Path file, String url, Keys keys, String auditKey) {
        var key = present(file, keys);
        if (key == null) {
            key = keys.createOperator("operator").value();
            LOG.info("made an operator's key for {}", file);
        }
        var profile = new Profile(url, key, auditKey);
        try {
            PrivateFile.write(file, Json.bytes(profile));
            return profile;
        } catch (IOException failed) {
            throw Problem.of(Code.HOST_FAILED, "The profile " + file + " cannot be written: " + failed.getMessage(), "Choose another file with --profile.").raise(failed);
        }
    }

    private static @Nullable String present(Path file, Keys keys) {
        if (!Files.exists(file)) {
            return null;
        }
        try {
            var key = Json.read(Files.readAllBytes(file), Profile.class).key();
            return keys.authenticate(key).operator() ? key : null;
        } catch (IOException | RedomaException unusable) {
            LOG.info("the profile {} holds no good key of this installation", file);
            return null;
        }
    }
}
