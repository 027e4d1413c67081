// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// Names that any system takes for the file that is meant: what Windows reserves, cuts, or takes for a stream or another folder is replaced, and what then would fall together (also in another case) is numbered.
final class SafeNames {
    private static final Pattern RESERVED = Pattern.compile("(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\\$|conout\\$)(\\..*)?", Pattern.CASE_INSENSITIVE);

    private final Set<String> taken = new HashSet<>();

    /// Of a relative path.
    String of(String path) {
        var parts = new ArrayList<String>();
        for (var part : path.split("/")) {
            parts.add(part(part));
        }
        var name = String.join("/", parts);
        var unique = name;
        for (int i = 2; !taken.add(unique.toLowerCase(Locale.ROOT)); i++) {
            unique = name + "~" + i;
        }
        return unique;
    }

    private static String part(String part) {
        var safe = new StringBuilder();
        part.codePoints().forEach(c -> safe.appendCodePoint(c < 0x20 || c == 0x7f || "<>:\"\\|?*".indexOf(c) >= 0 || Character.getType(c) == Character.FORMAT ? '_' : c));
        while (!safe.isEmpty() && (safe.charAt(safe.length() - 1) == '.' || safe.charAt(safe.length() - 1) == ' ')) {
            safe.setCharAt(safe.length() - 1, '_');
        }
        return RESERVED.matcher(safe).matches() ? "_" + safe : safe.isEmpty() ? "_" : safe.toString();
    }
}
