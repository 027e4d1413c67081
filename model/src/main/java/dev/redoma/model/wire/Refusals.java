// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// What policy refused of what wanted out of a sandbox, as it is on record: names that were asked for, connections, requests, and packets of what is no connection (UDP, ICMP).
public record Refusals(long names, long connections, long requests, long packets) {

    public long all() {
        return names + connections + requests + packets;
    }

    public Refusals since(Refusals before) {
        return new Refusals(names - before.names, connections - before.connections, requests - before.requests, packets - before.packets);
    }
}
