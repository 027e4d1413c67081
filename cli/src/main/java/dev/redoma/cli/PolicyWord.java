// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A policy as it is named on the command line: one that ships, or a file.
final class PolicyWord {
    private static final List<String> NAMES = List.of("none", "packages", "internet");
    private static final long LARGEST = 256 * 1024;

    private PolicyWord() {}

    /// What the server is sent.
    static String text(String word) {
        if (NAMES.contains(word)) {
            return word;
        }
        Path file = Path.of(word);
        try {
            if (Files.size(file) > LARGEST) {
                throw new Failed(Exit.USAGE, word + " is larger than " + Text.size(LARGEST) + ".", "Name a policy file.");
            }
            String text = Files.readString(file);
            return text.isBlank() || text.chars().noneMatch(c -> c == '\n') ? text + "\n" : text;
        } catch (IOException unreadable) {
            throw new Failed(Exit.USAGE, "'" + word + "' is none of " + String.join(", ", NAMES) + ", and no file that can be read.", "Name one of them or a readable policy file.");
        }
    }
}
