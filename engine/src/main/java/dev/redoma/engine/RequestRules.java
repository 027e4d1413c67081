// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.SnapshotId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The shapes of names, labels, environments and choices in requests; an offence names its field and what is allowed.
final class RequestRules {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final Pattern TEMPLATE = Pattern.compile("[a-z0-9]([a-z0-9_-]{0,126}[a-z0-9])?");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,255}");
    /// Labels that begin so are the server's own: no request through `/v1` gives them, and a fork keeps them.
    static final String OWN = "redoma.";
    private static final int LABELS = 64;
    private static final int LABEL_NAME = 128;
    private static final int LABEL_VALUE = 4096;
    private static final int VARIABLES = 512;
    private static final int ENVIRONMENT = 128 * 1024;

    private RequestRules() {}

    static @Nullable String name(String field, @Nullable String name) {
        if (name != null && (!NAME.matcher(name).matches() || SandboxId.looksLike(name) || SnapshotId.looksLike(name))) {
            throw Problem.field(field, "not a name", "1 to 63 of a-z, 0-9 and inner dashes, not in the form of an id");
        }
        return name;
    }

    /// Of a template or a snapshot: no host is called so.
    static @Nullable String template(String field, @Nullable String name) {
        if (name != null && (!TEMPLATE.matcher(name).matches() || SandboxId.looksLike(name) || SnapshotId.looksLike(name))) {
            throw Problem.field(field, "not a name", "1 to 128 of a-z, 0-9 and inner '-' and '_', not in the form of an id");
        }
        return name;
    }

    static Map<String, String> labels(@Nullable Map<String, String> labels) {
        if (labels == null) {
            return Map.of();
        }
        if (labels.size() > LABELS) {
            throw Problem.field("labels", labels.size() + " labels", "at most " + LABELS);
        }
        labels.forEach(RequestRules::label);
        return Map.copyOf(labels);
    }

    private static void label(String key, @Nullable String value) {
        if (key.isBlank() || key.length() > LABEL_NAME || key.chars().anyMatch(Character::isISOControl)) {
            throw Problem.field("labels", "'" + shown(key) + "' is not a label's name", "1 to " + LABEL_NAME + " characters, none a control character");
        }
        if (value == null || value.length() > LABEL_VALUE || value.chars().anyMatch(Character::isISOControl)) {
            throw Problem.field("labels." + key, "not a label's value", "at most " + LABEL_VALUE + " characters, none a control character");
        }
    }

    static Map<String, String> env(@Nullable Map<String, String> env) {
        if (env == null) {
            return Map.of();
        }
        if (env.size() > VARIABLES) {
            throw Problem.field("env", env.size() + " variables", "at most " + VARIABLES);
        }
        long bytes = 0;
        for (var e : env.entrySet()) {
            bytes += variable(e.getKey(), e.getValue());
        }
        if (bytes > ENVIRONMENT) {
            throw Problem.field("env", bytes + " bytes in all", "at most " + ENVIRONMENT + " bytes of names and values");
        }
        return Map.copyOf(env);
    }

    private static long variable(String name, @Nullable String value) {
        if (!VARIABLE.matcher(name).matches()) {
            throw Problem.field("env", "'" + shown(name) + "' is not a variable's name", "a letter or '_', then letters, digits and '_', at most 256");
        }
        if (value == null || value.indexOf('\0') >= 0) {
            throw Problem.field("env." + name, value == null ? "has no value" : "holds a NUL", "text without NUL");
        }
        return name.length() + value.getBytes(StandardCharsets.UTF_8).length;
    }

    static String oneOf(String field, @Nullable String value, String fallback, List<String> allowed) {
        String chosen = value == null ? fallback : value;
        if (!allowed.contains(chosen)) {
            throw Problem.field(field, "'" + shown(chosen) + "' is not known", "one of " + String.join(", ", allowed));
        }
        return chosen;
    }

    static void key(@Nullable String idempotencyKey) {
        if (idempotencyKey != null
                && (idempotencyKey.isEmpty() || idempotencyKey.length() > 255 || !idempotencyKey.chars().allMatch(c -> c > 32 && c < 127))) {
            throw Problem.field("Idempotency-Key", "not a key", "1 to 255 printable ASCII characters without spaces");
        }
    }

    /// Words for the record.
    static void why(@org.jspecify.annotations.Nullable String why) {
        if (why != null && (why.isBlank() || why.length() > 1000)) {
            throw Problem.field("why", why.isBlank() ? "is empty" : "has " + why.length() + " characters", "1 to 1000 characters");
        }
    }

    /// For messages: short and without control characters.
    static String shown(String text) {
        String cut = text.length() > 80 ? text.substring(0, 80) + "…" : text;
        return cut.replaceAll("\\p{Cntrl}", "?");
    }
}
