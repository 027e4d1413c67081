// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

/// Answers one request. Runs on a virtual thread and may block; a [dev.redoma.model.RedomaException] becomes a problem document.
@FunctionalInterface
public interface Endpoint {

    void handle(Exchange exchange) throws Exception;
}
