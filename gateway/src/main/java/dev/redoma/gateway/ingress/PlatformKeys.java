// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import java.util.regex.Pattern;

/// Keys of the platform in header fields: no app may see one that is in force, wherever a client put it.
final class PlatformKeys {
    private static final Pattern FORM = Pattern.compile("e2b_[0-9a-f]{40}");

    private PlatformKeys() {}

    static boolean looksLike(String text) {
        return FORM.matcher(text).matches();
    }

    static boolean in(String value, Doors doors) {
        var found = FORM.matcher(value);
        while (found.find()) {
            if (doors.keyed(found.group()) != null) {
                return true;
            }
        }
        return false;
    }
}
