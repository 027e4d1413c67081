// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.net.IDN;
import java.util.Locale;
import java.util.Optional;

/// The name of a host as it is compared: A-labels in lower case, without a trailing dot. Never an address: what any resolver would take for one
/// (`127.1`, `0x7f000001`, `2130706433`) is no name.
public record HostName(String ascii) {
    private static final int LONGEST_LABEL = 63;
    private static final String DIFFERENT = "\u3002\uff0e\uff61\u00df\u1e9e\u03c2\u200c\u200d";

    public HostName {
        if (!sound(ascii)) {
            throw new IllegalArgumentException("not the name of a host");
        }
    }

    /// Empty: what was given is no name of a host.
    public static Optional<HostName> parse(String given) {
        if (given.isEmpty() || given.length() > 1024) {
            return Optional.empty();
        }
        String text = given.endsWith(".") ? given.substring(0, given.length() - 1) : given;
        Optional<String> ascii = text.chars().allMatch(c -> c < 0x80) ? Optional.of(text.toLowerCase(Locale.ROOT)) : labels(text);
        return ascii.filter(HostName::sound).map(HostName::new);
    }

    /// Without what readers of such names take differently: dots other than the plain one, sharp s, final sigma, joiners.
    private static Optional<String> labels(String text) {
        if (text.chars().anyMatch(c -> DIFFERENT.indexOf(c) >= 0)) {
            return Optional.empty();
        }
        try {
            return Optional.of(IDN.toASCII(text, IDN.USE_STD3_ASCII_RULES).toLowerCase(Locale.ROOT)).filter(a -> dots(a) == dots(text));
        } catch (IllegalArgumentException | IndexOutOfBoundsException unfit) {
            return Optional.empty();
        }
    }

    private static long dots(String text) {
        return text.chars().filter(c -> c == '.').count();
    }

    private static boolean sound(String ascii) {
        if (ascii.isEmpty() || ascii.length() > 253) {
            return false;
        }
        int from = 0;
        for (int dot = ascii.indexOf('.'); dot >= 0; dot = ascii.indexOf('.', from)) {
            if (!label(ascii, from, dot)) {
                return false;
            }
            from = dot + 1;
        }
        return label(ascii, from, ascii.length()) && !number(ascii, from);
    }

    /// Letters, digits and underscores, and hyphens between them. This is asked for each connection and each request.
    private static boolean label(String ascii, int from, int to) {
        if (to == from || to - from > LONGEST_LABEL || ascii.charAt(from) == '-' || ascii.charAt(to - 1) == '-') {
            return false;
        }
        for (int i = from; i < to; i++) {
            char c = ascii.charAt(i);
            if (!(c >= 'a' && c <= 'z' || digit(c) || c == '_' || c == '-')) {
                return false;
            }
        }
        return true;
    }

    /// The last label, decimal or hexadecimal.
    private static boolean number(String ascii, int from) {
        boolean hexadecimal = ascii.startsWith("0x", from);
        for (int i = hexadecimal ? from + 2 : from; i < ascii.length(); i++) {
            char c = ascii.charAt(i);
            if (!(digit(c) || hexadecimal && c >= 'a' && c <= 'f')) {
                return false;
            }
        }
        return true;
    }

    private static boolean digit(char c) {
        return c >= '0' && c <= '9';
    }

    @Override
    public String toString() {
        return ascii;
    }
}
