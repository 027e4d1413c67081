// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Names;
import java.util.Arrays;

/// Fields of a tar header: octal, or base 256 where the first bit is set.
final class TarFields {
    private TarFields() {}

    static String text(byte[] header, int at, int length) {
        int end = at;
        while (end < at + length && header[end] != 0) {
            end++;
        }
        return Names.decode(Arrays.copyOfRange(header, at, end));
    }

    static long number(byte[] header, int at, int length) throws TarFlaw {
        return (header[at] & 0x80) != 0 ? binary(header, at, length) : octal(header, at, length);
    }

    private static long octal(byte[] header, int at, int length) throws TarFlaw {
        long value = 0;
        for (int i = at; i < at + length; i++) {
            int c = header[i];
            if (c == 0 || c == ' ' && value != 0) {
                break;
            }
            if (c == ' ') {
                continue;
            }
            if (c < '0' || c > '7') {
                throw new TarFlaw("a header field that is no number");
            }
            value = value << 3 | c - '0';
        }
        return value;
    }

    private static long binary(byte[] header, int at, int length) throws TarFlaw {
        // Negative (0xff first) only for times before 1970.
        long value = header[at] == (byte) 0xff ? -1 : header[at] & 0x7f;
        for (int i = at + 1; i < at + length; i++) {
            if (value > 1L << 54 || value < -(1L << 54)) {
                throw new TarFlaw("a header field that is too large");
            }
            value = value << 8 | header[i] & 0xff;
        }
        return value;
    }

    static boolean isHeader(byte[] header) {
        try {
            verifyChecksum(header);
            return true;
        } catch (TarFlaw flaw) {
            return false;
        }
    }

    static void verifyChecksum(byte[] header) throws TarFlaw {
        long sum = 8 * ' ';
        for (int i = 0; i < header.length; i++) {
            sum += i >= 148 && i < 156 ? 0 : header[i] & 0xff;
        }
        if (sum != number(header, 148, 8)) {
            throw new TarFlaw("a header whose checksum is wrong");
        }
    }
}
