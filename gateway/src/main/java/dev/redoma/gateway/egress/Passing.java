// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A connection that was let through, as the policy is asked about it again when it changes. `host` is null where the program named an address; `said`: the name that TLS then
/// told, null where it told none; `head` is null where no request was read. `by`: what allows it now, whose rates and budgets it counts towards.
record Passing(
        @Nullable String host,
        @Nullable String said,
        int port,
        List<InetAddress> addresses,
        Grounds by,
        @Nullable RequestHead head,
        Relay relay,
        @Nullable String reached,
        long begunAt) {}
