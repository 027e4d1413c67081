// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// What policy refused of what wanted out of a sandbox, as it is on record: names that were asked for, connections, requests. What the sandbox's packet rules turn away before the gateway
/// sees it is not in it.
public record Refusals(long names, long connections, long requests) {

    public long all() {
        return names + connections + requests;
    }

    public Refusals since(Refusals before) {
        return new Refusals(names - before.names, connections - before.connections, requests - before.requests);
    }
}
