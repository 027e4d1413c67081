// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.client.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Where the server is and with which key to speak to it; `auditKey` is the public key that exports are verified against.
public record Profile(String url, String key, @Nullable String auditKey) {

    /// `$XDG_CONFIG_HOME/redoma/profile.json`, by default `~/.config/redoma/profile.json`.
    public static Path place() {
        var config = System.getenv("XDG_CONFIG_HOME");
        var home = System.getenv().getOrDefault("HOME", System.getProperty("user.home"));
        return (config == null || config.isBlank() ? Path.of(home, ".config") : Path.of(config)).resolve("redoma/profile.json");
    }

    /// The file's profile with `REDOMA_URL` and `REDOMA_KEY` over it; empty when neither says both. The file's `auditKey` is that of its own
    /// server, so it does not go with another address.
    public static Optional<Profile> load() throws IOException {
        var file = Files.exists(place()) ? Json.read(Files.readAllBytes(place()), Profile.class) : null;
        var url = System.getenv().getOrDefault("REDOMA_URL", file == null ? "" : file.url());
        var key = System.getenv().getOrDefault("REDOMA_KEY", file == null ? "" : file.key());
        var auditKey = file != null && file.url().equals(url) ? file.auditKey() : null;
        return url.isBlank() || key.isBlank() ? Optional.empty() : Optional.of(new Profile(url, key, auditKey));
    }

    /// Replaces the file in one step, readable by its owner only.
    public void save() throws IOException {
        var file = place();
        Files.createDirectories(file.getParent());
        var fresh = Files.createTempFile(file.getParent(), ".profile", ".json",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(fresh, Json.pretty(this) + "\n");
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public String toString() {
        return "Profile[url=" + url + "]";
    }
}
