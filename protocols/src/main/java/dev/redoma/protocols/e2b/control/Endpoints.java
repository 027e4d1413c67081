// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.http.Route;
import dev.redoma.model.Scope;
import dev.redoma.protocols.e2b.Door;
import org.jspecify.annotations.Nullable;

/// Makes routes that answer in the form of these clients and let only those in who may.
record Endpoints(Door door) {

    /// Answers on `asked.http()`.
    @FunctionalInterface
    interface Action {
        void run(Asked asked) throws Exception;
    }

    Route get(String path, @Nullable Scope scope, Action action) {
        return of("GET", path, scope, action);
    }

    Route post(String path, @Nullable Scope scope, Action action) {
        return of("POST", path, scope, action);
    }

    Route put(String path, @Nullable Scope scope, Action action) {
        return of("PUT", path, scope, action);
    }

    Route patch(String path, @Nullable Scope scope, Action action) {
        return of("PATCH", path, scope, action);
    }

    Route delete(String path, @Nullable Scope scope, Action action) {
        return of("DELETE", path, scope, action);
    }

    private Route of(String method, String path, @Nullable Scope scope, Action action) {
        return new Route(method, path, http -> {
            http.errors(ErrorBody.FORM);
            action.run(new Asked(http, door.admit(http, scope)));
        });
    }
}
