// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.ledger.Ledger;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Signed heads, as lines of the file that they stand in.
record HeadsOut(Ledger ledger, SentSoFar so) implements Forwarder.Source {
    private static final String AT = "byte";

    @Override
    public String name() {
        return "heads";
    }

    @Override
    public @Nullable Parcel due() throws IOException {
        var heads = ledger.heads(so.of(AT));
        return heads.lines().isEmpty() ? null
                : new Parcel("application/jsonl", (String.join("\n", heads.lines()) + "\n").getBytes(StandardCharsets.UTF_8), () -> so.now(Map.of(AT, heads.next())));
    }
}
