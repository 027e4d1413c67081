// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.config;

import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Typed access to what was given, with the shipped value under it. A wrong value is an error that says where it stands.
final class ConfigValues {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

    private final Map<ConfigKey, ConfigFile.Given> file;
    private final Map<String, String> environment;

    ConfigValues(Map<ConfigKey, ConfigFile.Given> file, Map<String, String> environment) {
        this.file = file;
        this.environment = environment;
    }

    private ConfigFile.Given value(ConfigKey key) {
        var over = environment.get(key.variable());
        if (over != null) {
            return new ConfigFile.Given(over, key.variable());
        }
        return file.getOrDefault(key, new ConfigFile.Given(key.shipped(), "shipped value"));
    }

    boolean given(ConfigKey key) {
        return environment.containsKey(key.variable()) || file.containsKey(key);
    }

    String text(ConfigKey key) {
        var value = value(key);
        if (value.text().isBlank()) {
            throw refused(key, value, "some text");
        }
        return value.text();
    }

    @Nullable String optional(ConfigKey key) {
        return given(key) ? text(key) : null;
    }

    boolean flag(ConfigKey key) {
        var value = value(key);
        return switch (value.text()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw refused(key, value, "true or false");
        };
    }

    long count(ConfigKey key) {
        var value = value(key);
        try {
            long n = Long.parseLong(value.text());
            if (n >= 0) {
                return n;
            }
        } catch (NumberFormatException notANumber) {
            // refused below
        }
        throw refused(key, value, "a whole number, 0 or more");
    }

    @Nullable Long count(ConfigKey key, @Nullable Long host) {
        return given(key) ? (Long) count(key) : host;
    }

    int number(ConfigKey key) {
        return (int) Math.min(Integer.MAX_VALUE, count(key));
    }

    double positive(ConfigKey key) {
        var value = value(key);
        try {
            double n = Double.parseDouble(value.text());
            if (n > 0 && n < 1e12) {
                return n;
            }
        } catch (NumberFormatException notANumber) {
            // refused below
        }
        throw refused(key, value, "a number above 0");
    }

    @Nullable Double positive(ConfigKey key, @Nullable Double host) {
        return given(key) ? (Double) positive(key) : host;
    }

    long size(ConfigKey key) {
        var value = value(key);
        try {
            return Bytes.parse(key.path(), value.text()).value();
        } catch (RedomaException notASize) {
            throw refused(key, value, "a size such as 512MiB or 2GiB");
        }
    }

    @Nullable Long size(ConfigKey key, @Nullable Long host) {
        return given(key) ? (Long) size(key) : host;
    }

    Duration duration(ConfigKey key) {
        var value = value(key);
        var m = DURATION.matcher(value.text());
        if (!m.matches()) {
            throw refused(key, value, "a time such as 500ms, 30s, 15m, 1h or 2d");
        }
        long n = Long.parseLong(m.group(1));
        return switch (m.group(2)) {
            case "ms" -> Duration.ofMillis(n);
            case "s" -> Duration.ofSeconds(n);
            case "m" -> Duration.ofMinutes(n);
            case "h" -> Duration.ofHours(n);
            default -> Duration.ofDays(n);
        };
    }

    <T> T oneOf(ConfigKey key, Function<T, String> written, List<T> allowed) {
        var value = value(key);
        return allowed.stream().filter(a -> written.apply(a).equals(value.text())).findFirst()
                .orElseThrow(() -> refused(key, value, allowed.stream().map(written).collect(Collectors.joining(", "))));
    }

    Address address(ConfigKey key) {
        var value = value(key);
        return Address.parse(key.path() + " (" + value.where() + ")", value.text());
    }

    private static RedomaException refused(ConfigKey key, ConfigFile.Given value, String allowed) {
        return Problem.of(Code.INVALID_FIELD, value.where() + ": " + key.path() + ": '" + value.text() + "' cannot be taken.", "Write " + allowed + ".")
                .with("field", key.path()).with("allowed", allowed).raise();
    }
}
