// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

import java.security.SecureRandom;

/// Mints ids: a two-letter prefix and 18 characters of `a-z0-9` (93 bits), usable as a DNS label.
public final class Ids {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final char[] ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789".toCharArray();

    private Ids() {}

    static String mint(String prefix) {
        var out = new StringBuilder(prefix);
        for (int i = 0; i < 18; i++) {
            out.append(ALPHABET[RANDOM.nextInt(ALPHABET.length)]);
        }
        return out.toString();
    }

    /// Of an apply, as records name it.
    public static String mintApply() {
        return mint("ap");
    }

    public static String checkApply(String value) {
        return check("apply", "ap", value);
    }

    /// Of a grant to attach.
    public static String mintAttachGrant() {
        return mint("ag");
    }

    /// Of one attachment.
    public static String mintAttachment() {
        return mint("at");
    }

    static String check(String kind, String prefix, String value) {
        if (value.length() != 20 || !value.startsWith(prefix) || !value.chars().allMatch(Ids::allowed)) {
            throw Problem.field(kind, "not an id of this kind", prefix + " followed by 18 of a-z and 0-9");
        }
        return value;
    }

    private static boolean allowed(int c) {
        return c >= 'a' && c <= 'z' || c >= '0' && c <= '9';
    }
}
