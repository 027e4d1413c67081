// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

import java.util.LinkedHashMap;
import java.util.Map;

/// What went wrong, why, and what to do. `message` and `details` are safe to show to the caller.
public record Problem(Code code, Layer layer, String message, String remedy, Map<String, Object> details) {

    public Problem {
        details = Map.copyOf(details);
    }

    public static Problem of(Code code, String message, String remedy) {
        return new Problem(code, code.layer(), message, remedy, Map.of());
    }

    public Problem with(String name, Object value) {
        var more = new LinkedHashMap<>(details);
        more.put(name, value);
        return new Problem(code, layer, message, remedy, more);
    }

    public Problem at(Layer other) {
        return new Problem(code, other, message, remedy, details);
    }

    public RedomaException raise() {
        return new RedomaException(this, null);
    }

    public RedomaException raise(Throwable cause) {
        return new RedomaException(this, cause);
    }

    /// A field of a request that cannot be taken: names it and what is allowed.
    public static RedomaException field(String field, String why, String allowed) {
        return of(Code.INVALID_FIELD, field + ": " + why, "Send " + allowed + ".")
                .with("field", field)
                .with("allowed", allowed)
                .raise();
    }
}
