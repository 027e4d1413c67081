// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.http;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One request. `repeatable`: may be sent again when a kept connection died before the answer. `patience`: how long to wait for the head of the
/// answer, and then for each next byte of it.
public record Request(
        String method, String target, Map<String, String> headers, @Nullable Body body, boolean repeatable, Duration patience) {

    public static Request of(String method, String target, Duration patience) {
        return new Request(method, target, Map.of(), null, !method.equals("POST"), patience);
    }

    public Request header(String name, String value) {
        var more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Request(method, target, more, body, repeatable, patience);
    }

    public Request body(Body with) {
        return new Request(method, target, headers, with, repeatable, patience);
    }

    public Request again() {
        return new Request(method, target, headers, body, true, patience);
    }

    public Request patience(Duration other) {
        return new Request(method, target, headers, body, repeatable, other);
    }
}
