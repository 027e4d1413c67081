// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;

/// Finds where in a document something stands: a reader that buffered it has forgotten.
final class JsonPlace {
    private JsonPlace() {}

    /// Byte offset of the property (or element) at a JSON pointer; -1 where there is none.
    static long of(byte[] json, String pointer) {
        try (var parser = Json.tokens(json)) {
            for (var token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token != JsonToken.END_OBJECT && token != JsonToken.END_ARRAY
                        && parser.streamReadContext().pathAsPointer().toString().equals(pointer)) {
                    return parser.currentTokenLocation().getByteOffset();
                }
            }
        } catch (JacksonException broken) {
            return -1; // whatever was wrong came before the place was reached
        }
        return -1;
    }

    static String words(byte[] json, long offset) {
        int line = 1;
        long start = 0;
        for (int i = 0; i < Math.min(offset, json.length); i++) {
            if (json[i] == '\n') {
                line++;
                start = i + 1;
            }
        }
        return " (line " + line + ", column " + (offset - start + 1) + ")";
    }
}
