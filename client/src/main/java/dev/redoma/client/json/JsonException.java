// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.json;

/// Text that is no JSON, or JSON that does not fit the shape asked for; the message names the place.
public final class JsonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public JsonException(String message) {
        super(message);
    }
}
