// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

/// A double as ECMAScript prints it, which is what the canonical form of JSON asks for.
final class EcmaNumber {
    private EcmaNumber() {}

    static String text(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw new IllegalArgumentException("a record cannot hold " + value);
        }
        if (value == 0) {
            return "0";
        }
        return (value < 0 ? "-" : "") + positive(Math.abs(value));
    }

    /// From Java's shortest decimal: the digits without point, and `point`, the number of them that stand before it.
    private static String positive(double value) {
        String java = Double.toString(value);
        int e = java.indexOf('E');
        String mantissa = e < 0 ? java : java.substring(0, e);
        int dot = mantissa.indexOf('.');
        String all = mantissa.substring(0, dot) + mantissa.substring(dot + 1);
        int point = dot + (e < 0 ? 0 : Integer.parseInt(java.substring(e + 1)));
        int lead = 0;
        while (all.charAt(lead) == '0') {
            lead++;
        }
        String digits = all.substring(lead).replaceFirst("0+$", "");
        return layout(single(value, digits, point - lead), point - lead);
    }

    /// Java prints at least two digits, so that the smallest double is 4.9E-324 where 5e-324 says the same.
    private static String single(double value, String digits, int point) {
        if (digits.length() == 2 && digits.charAt(0) < '9') {
            String up = String.valueOf((char) (digits.charAt(0) + 1));
            if (digits.charAt(1) >= '5' && Double.parseDouble(up + "E" + (point - 1)) == value) {
                return up;
            }
        }
        return digits;
    }

    private static String layout(String digits, int point) {
        int n = digits.length();
        if (n <= point && point <= 21) {
            return digits + "0".repeat(point - n);
        }
        if (0 < point && point <= 21) {
            return digits.substring(0, point) + "." + digits.substring(point);
        }
        if (-6 < point && point <= 0) {
            return "0." + "0".repeat(-point) + digits;
        }
        String exponent = (point - 1 < 0 ? "-" : "+") + Math.abs(point - 1);
        return digits.charAt(0) + (n > 1 ? "." + digits.substring(1) : "") + "e" + exponent;
    }
}
