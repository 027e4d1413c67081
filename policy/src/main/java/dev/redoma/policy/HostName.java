// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.net.IDN;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// The name of a host as it is compared: A-labels in lower case, without a trailing dot. Never an address: what any resolver would take for one
/// (`127.1`, `0x7f000001`, `2130706433`) is no name.
public record HostName(String ascii) {
    private static final Pattern LABEL = Pattern.compile("[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?");
    private static final String DIFFERENT = "\u3002\uff0e\uff61\u00df\u1e9e\u03c2\u200c\u200d";
    private static final Pattern NUMBER = Pattern.compile("[0-9]+|0x[0-9a-f]*");

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
        String[] labels = ascii.split("\\.", -1);
        for (String label : labels) {
            if (!LABEL.matcher(label).matches()) {
                return false;
            }
        }
        return !NUMBER.matcher(labels[labels.length - 1]).matches();
    }

    @Override
    public String toString() {
        return ascii;
    }
}
