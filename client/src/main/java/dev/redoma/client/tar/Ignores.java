// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The `.gitignore` files from a folder up to the root of what is packed, read as git reads them: the last pattern that matches decides, those of
/// a folder go before those above it, and what lies in an ignored folder is not looked at. Which files git tracks is not asked. Names are raw bytes.
final class Ignores {
    static final Ignores NONE = new Ignores(null, "", List.of());
    private static final String FILE = ".gitignore";
    private static final long LARGEST = 4L << 20;

    private final @Nullable Ignores above;
    private final String prefix;
    private final List<Rule> rules;

    private Ignores(@Nullable Ignores above, String prefix, List<Rule> rules) {
        this.above = above;
        this.prefix = prefix;
        this.rules = rules;
    }

    /// `inverted`: what matches is taken after all; `folders`: only folders match; `whole`: against the path from the file's folder, else the name.
    private record Rule(boolean inverted, boolean folders, boolean whole, String glob) {
        boolean matches(String path, boolean folder) {
            if (folders && !folder) {
                return false;
            }
            return whole ? Wild.path(glob, path) : Wild.name(glob, path.substring(path.lastIndexOf('/') + 1));
        }
    }

    /// With those of a folder, whose path from the root is `prefix` (empty, or ending in a slash).
    Ignores into(Path folder, String prefix) throws IOException {
        var file = folder.resolve(FILE);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return this;
        }
        if (Files.size(file) > LARGEST) {
            throw new IOException(file + " is larger than " + LARGEST + " bytes");
        }
        var rules = new ArrayList<Rule>();
        for (var line : new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).split("\n")) {
            rule(line, rules);
        }
        return new Ignores(this, prefix, rules);
    }

    private static void rule(String line, List<Rule> to) {
        var text = trimmed(line.endsWith("\r") ? line.substring(0, line.length() - 1) : line);
        if (text.isEmpty() || text.startsWith("#")) {
            return;
        }
        boolean inverted = text.startsWith("!");
        text = inverted ? text.substring(1) : text;
        boolean folders = text.endsWith("/");
        text = folders ? text.substring(0, text.length() - 1) : text;
        boolean whole = text.indexOf('/') >= 0;
        text = text.startsWith("/") ? text.substring(1) : text;
        if (!text.isEmpty()) {
            to.add(new Rule(inverted, folders, whole, text));
        }
    }

    /// Blanks at the end count only behind a backslash.
    private static String trimmed(String line) {
        int end = line.length();
        while (end > 0 && line.charAt(end - 1) == ' ' && !(end > 1 && line.charAt(end - 2) == '\\')) {
            end--;
        }
        return line.substring(0, end);
    }

    /// `path` from the root, without a slash at its end.
    boolean ignored(String path, boolean folder) {
        for (Ignores level = this; level != null; level = level.above) {
            var from = path.substring(level.prefix.length());
            for (var rule : level.rules.reversed()) {
                if (rule.matches(from, folder)) {
                    return !rule.inverted();
                }
            }
        }
        return false;
    }
}
