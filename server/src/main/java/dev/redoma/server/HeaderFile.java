// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Headers of requests to a place that an operator named, such as `Authorization`: a file of mode 0600 with lines `Name: value`.
final class HeaderFile {
    private static final int MOST = 16 << 10;
    private static final Pattern LINE = Pattern.compile("([A-Za-z0-9-]{1,64}):[ \\t]*([\\x21-\\x7e](?:[\\x20-\\x7e]*[\\x21-\\x7e])?)[ \\t]*");

    private HeaderFile() {}

    /// Those of the file, if there is one, and the kind of what is sent.
    static Map<String, String> read(@Nullable Path file, String mediaType) throws IOException {
        var headers = new LinkedHashMap<String, String>();
        if (file != null) {
            var others = EnumSet.noneOf(PosixFilePermission.class);
            others.addAll(Files.getPosixFilePermissions(file));
            others.removeAll(EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
            if (!others.isEmpty() || Files.size(file) > MOST) {
                throw new IOException(file + (others.isEmpty() ? " has more than " + MOST + " bytes" : " may be used by others than its owner"));
            }
            for (var line : Files.readAllLines(file)) {
                var m = LINE.matcher(line);
                if (!line.isBlank() && !m.matches()) {
                    throw new IOException(file + " has a line that is no 'Name: value'");
                }
                if (!line.isBlank()) {
                    headers.put(m.group(1), m.group(2));
                }
            }
        }
        headers.put("Content-Type", mediaType);
        return headers;
    }
}
