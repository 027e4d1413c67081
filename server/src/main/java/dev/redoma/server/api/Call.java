// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.http.Exchange;
import dev.redoma.http.Query;
import dev.redoma.model.Caller;
import java.io.IOException;

/// One request to the API by a caller who may make it.
public record Call(Exchange http, Caller caller, Guard guard) {

    String parameter(String name) {
        return http.parameter(name);
    }

    /// The sandbox in the path: an id or a name.
    String sandbox() {
        return http.parameter("id");
    }

    Query query() {
        return http.query();
    }

    void json(Object value) throws IOException {
        http.json(200, value);
    }
}
