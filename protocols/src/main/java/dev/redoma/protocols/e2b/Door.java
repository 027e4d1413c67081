// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b;

import dev.redoma.engine.Sandboxes;
import dev.redoma.http.Exchange;
import dev.redoma.model.Caller;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.Sandbox;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The edge of the server, as an adapter needs it: keys and rates are the server's own.
public interface Door {

    /// Who asks, having checked key, rate and scope (null: any key). Both header forms of the native API are taken.
    Caller admit(Exchange http, @Nullable Scope scope);

    /// Makes a sandbox; one whose client went away before it was told, and had sent no `Idempotency-Key`, is ended.
    void create(Exchange http, Caller caller, Sandboxes sandboxes, CreateSandbox request, Telling telling) throws IOException;

    /// Tells the client what was made.
    @FunctionalInterface
    interface Telling {
        void tell(Sandbox made) throws IOException;
    }
}
