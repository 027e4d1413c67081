// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

/// Ends what lasts: long answers call it at least once a second, and it throws once the caller's key was revoked or the server stops.
@FunctionalInterface
public interface Guard {

    void check();
}
