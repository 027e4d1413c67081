// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

/// A verb cannot do what it was asked: its exit code, what is wrong, and what to do.
final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int code;
    private final String remedy;

    Failed(int code, String message, String remedy) {
        super(message, null, false, false);
        this.code = code;
        this.remedy = remedy;
    }

    int code() {
        return code;
    }

    String remedy() {
        return remedy;
    }
}
