// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.model.Problem;
import dev.redoma.model.RegistryLogin;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What opens the registry of a build's image, as these clients say it.
final class RegistryLogins {
    /// The name under which that registry takes the key of a service account as the password.
    private static final String GCP_USER = "_json_key";

    private RegistryLogins() {}

    static @Nullable RegistryLogin of(@Nullable Map<String, @Nullable Object> given) {
        if (given == null) {
            return null;
        }
        var type = given.get("type");
        return switch (String.valueOf(type)) {
            case "registry" -> new RegistryLogin(text(given, "username"), text(given, "password"));
            case "gcp" -> new RegistryLogin(GCP_USER, text(given, "serviceAccountJson"));
            case "aws" -> throw Egress.notOffered("fromImageRegistry.type", "aws: its keys are no login; they would have to be exchanged for one first.",
                    "Send type registry with the user AWS and the password that 'aws ecr get-login-password' prints.");
            default -> throw Problem.field("fromImageRegistry.type", "'" + Names.shown(String.valueOf(type)) + "' is none", "registry or gcp");
        };
    }

    private static String text(Map<String, @Nullable Object> given, String field) {
        if (!(given.get(field) instanceof String text) || text.isEmpty()) {
            throw Problem.field("fromImageRegistry." + field, "is missing", "it, as text");
        }
        return text;
    }
}
