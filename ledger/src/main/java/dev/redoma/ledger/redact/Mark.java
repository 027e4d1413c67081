// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

/// What was found: `kind` is `secret` (registered; `name` is its name) or `shape` (`name` says whose tokens look so); `form` is how it was written.
public record Mark(String kind, String name, String form) implements Comparable<Mark> {
    static final String SECRET = "secret";
    static final String SHAPE = "shape";

    @Override
    public int compareTo(Mark other) {
        return toString().compareTo(other.toString());
    }
}
