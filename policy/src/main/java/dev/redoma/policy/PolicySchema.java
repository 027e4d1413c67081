// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.io.IOException;
import java.io.UncheckedIOException;

/// The JSON Schema of policy files, for editors. It says of a file's form what the parser says; what names and numbers mean is the parser's alone.
public final class PolicySchema {
    private PolicySchema() {}

    public static byte[] bytes() {
        try (var in = PolicySchema.class.getResourceAsStream("policy.schema.json")) {
            if (in == null) {
                throw new IllegalStateException("the program lacks its schema of policies");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
