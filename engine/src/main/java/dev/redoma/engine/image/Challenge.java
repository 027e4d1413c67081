// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/// One way to authenticate that a `WWW-Authenticate` header offers (RFC 9110, section 11.6.1).
record Challenge(String scheme, Map<String, String> parameters) {
    private static final Pattern PART = Pattern.compile("\\G[\\s,]*(?:([A-Za-z0-9_-]{1,64})\\s*=\\s*(?:\"((?:[^\"\\\\]|\\\\.){0,4096})\"|([^\\s,\"]{1,4096}))|([A-Za-z][A-Za-z0-9_-]{0,63})(?=\\s|,|$))");

    static List<Challenge> parse(List<String> headers) {
        var all = new ArrayList<Challenge>();
        for (var header : headers) {
            if (header.length() > 8192) {
                continue;
            }
            var parts = PART.matcher(header);
            while (parts.find()) {
                if (parts.group(4) != null) {
                    all.add(new Challenge(parts.group(4).toLowerCase(Locale.ROOT), new LinkedHashMap<>()));
                } else if (!all.isEmpty()) {
                    var value = parts.group(2) != null ? parts.group(2).replaceAll("\\\\(.)", "$1") : parts.group(3);
                    all.getLast().parameters.put(parts.group(1).toLowerCase(Locale.ROOT), value);
                }
            }
        }
        return all;
    }
}
