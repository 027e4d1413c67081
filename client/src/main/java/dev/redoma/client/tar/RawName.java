// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// File names as raw bytes (one in each char), whatever the locale: a Path keeps the bytes, and its URI shows them.
final class RawName {
    private RawName() {}

    /// The last element of an absolute path.
    static String last(Path path) {
        var raw = path.toUri().getRawPath();
        int end = raw.endsWith("/") ? raw.length() - 1 : raw.length();
        return decode(raw.substring(raw.lastIndexOf('/', end - 1) + 1, end));
    }

    /// The bytes of a relative or absolute path, as a link's target is.
    static String of(Path path) {
        if (path.toString().isEmpty()) {
            return "";
        }
        var out = new StringBuilder(path.isAbsolute() ? "/" : "");
        for (int i = 0; i < path.getNameCount(); i++) {
            out.append(i == 0 ? "" : "/").append(element(path.getName(i)));
        }
        return out.toString();
    }

    /// `..` and `.` would be swallowed by nothing here, but an element is made absolute below a root that does not exist: no file is looked at.
    private static String element(Path name) {
        return last(Path.of("/proc/0").resolve(name));
    }

    /// A child of `folder` by its raw name, which has no slash in it.
    static Path child(Path folder, String raw) {
        return folder.resolve(path(raw));
    }

    /// A path by its raw bytes.
    static Path path(String raw) {
        var uri = new StringBuilder("file:///");
        for (byte b : raw.getBytes(StandardCharsets.ISO_8859_1)) {
            boolean plain = b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '/' || b == '.' || b == '-' || b == '_';
            if (plain) {
                uri.append((char) b);
            } else {
                uri.append('%').append(Character.toUpperCase(Character.forDigit(b >> 4 & 15, 16)))
                        .append(Character.toUpperCase(Character.forDigit(b & 15, 16)));
            }
        }
        var absolute = Path.of(URI.create(uri.toString()));
        return raw.startsWith("/") ? absolute : absolute.subpath(0, absolute.getNameCount());
    }

    private static String decode(String percent) {
        var out = new ByteArrayOutputStream();
        for (int i = 0; i < percent.length(); i++) {
            char c = percent.charAt(i);
            if (c == '%') {
                out.write(Integer.parseInt(percent.substring(i + 1, i + 3), 16));
                i += 2;
            } else {
                out.write(c);
            }
        }
        return out.toString(StandardCharsets.ISO_8859_1);
    }
}
