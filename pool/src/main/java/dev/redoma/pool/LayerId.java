// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.model.Problem;
import java.util.regex.Pattern;

/// Digest that names a layer: `sha256:` and 64 hex, over a canonical listing of its content.
public record LayerId(String value) {
    private static final Pattern FORM = Pattern.compile("sha256:[0-9a-f]{64}");

    public LayerId {
        if (!FORM.matcher(value).matches()) {
            throw Problem.field("layer", "not a digest", "sha256: followed by 64 hex digits");
        }
    }

    public String hex() {
        return value.substring(7);
    }

    @Override
    public String toString() {
        return value;
    }
}
