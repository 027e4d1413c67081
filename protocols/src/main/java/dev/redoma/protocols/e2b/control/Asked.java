// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.http.Exchange;
import dev.redoma.model.Caller;

/// One request by a caller who may make it.
record Asked(Exchange http, Caller caller) {

    String parameter(String name) {
        return http.parameter(name);
    }

    String sandbox() {
        return Names.sandbox(http.parameter("id"));
    }
}
