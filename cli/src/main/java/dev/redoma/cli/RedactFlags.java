// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.model.Problem;
import dev.redoma.model.wire.Redact;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// What is masked of a sandbox. Values come from the environment or from files: arguments are seen by everybody on the machine.
final class RedactFlags {
    @Option(names = "--redact", paramLabel = "NAME[=@FILE]", description = "Mask this variable's value (or a file's content) in output, records and messages; repeatable.")
    List<String> names = List.of();

    @Option(names = "--redact-tokens", paramLabel = "on|off", description = "Whether what looks like a well-known token is masked in output too.")
    @Nullable String tokens;

    @Nullable Redact redact() {
        if (names.isEmpty() && tokens == null) {
            return null;
        }
        return new Redact(values(names), tokens == null ? null : on(tokens));
    }

    static Map<String, String> values(List<String> given) {
        var values = new TreeMap<String, String>();
        given.forEach(n -> values.put(n.contains("=") ? n.substring(0, n.indexOf('=')) : n, value(n)));
        return values;
    }

    private static boolean on(String word) {
        if (!word.equals("on") && !word.equals("off")) {
            throw Problem.field("--redact-tokens", "'" + Text.safe(word) + "' is not known", "on or off");
        }
        return word.equals("on");
    }

    private static String value(String given) {
        int sign = given.indexOf('=');
        if (sign >= 0 && !given.startsWith("=@", sign)) {
            throw Problem.field("--redact", "has a value in it, which others can see", "NAME (a variable of this environment) or NAME=@FILE");
        }
        if (sign < 0) {
            var value = System.getenv(given);
            if (value == null) {
                throw Problem.field("--redact", "there is no variable '" + Text.safe(given) + "' here", "export it, or NAME=@FILE");
            }
            return value;
        }
        var file = Path.of(given.substring(sign + 2));
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw Problem.field("--redact", "cannot read " + Text.safe(file.toString()), "a file of text");
        }
    }
}
