// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import java.util.List;

/// A method and a path pattern (`/v1/things/{id}`) with its endpoint.
public record Route(String method, String pattern, Endpoint endpoint) {

    public Route {
        if (!pattern.startsWith("/")) {
            throw new IllegalArgumentException("pattern must begin with '/': " + pattern);
        }
    }

    List<String> segments() {
        return Router.split(pattern);
    }
}
