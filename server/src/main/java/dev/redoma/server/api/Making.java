// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.engine.Sandboxes;
import dev.redoma.http.Exchange;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Sandbox;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Makes sandboxes for clients that may go away meanwhile. Thread-safe.
final class Making {
    private final Sandboxes sandboxes;

    Making(Sandboxes sandboxes) {
        this.sandboxes = sandboxes;
    }

    /// Tells the client what was made.
    interface Telling {
        void tell(Sandbox made) throws IOException;
    }

    /// What was made for a client that went away without a key is ended: nobody knows of it, and nobody could ask again.
    void make(Exchange http, Caller caller, @Nullable String key, Supplier<Sandbox> work, Telling telling) throws IOException {
        if (key != null) {
            telling.tell(work.get());
            return;
        }
        try (var client = Presence.of(http)) {
            var made = work.get();
            client.close();
            boolean known = false;
            try {
                if (!client.gone()) {
                    telling.tell(made);
                    known = !client.refused();
                }
            } finally {
                if (!known && !Boolean.TRUE.equals(made.reused())) {
                    sandboxes.kill(caller, made.id());
                }
            }
            if (!http.answered()) {
                throw Problem.of(Code.REQUEST_TIMEOUT, "The caller went away before the answer.", "Ask for the present state, or try again.").raise();
            }
        }
    }

    static @Nullable String idempotencyKey(Exchange http) {
        var key = http.header("Idempotency-Key");
        if (key != null && (key.isBlank() || key.length() > 255)) {
            throw Problem.field("Idempotency-Key", "cannot be taken", "1 to 255 characters");
        }
        return key;
    }
}
