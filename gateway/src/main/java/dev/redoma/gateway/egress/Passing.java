// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A connection that was let through, as the policy is asked about it again when it changes. `host` is null where the program named an address; `said`: the name that TLS then
/// told, null where it told none; `head`: the one request that it carries, and `requests`: those it carries at the time, null where none are seen. `by`: what allows it now, whose rates and budgets it counts towards.
record Passing(
        @Nullable String host,
        @Nullable String said,
        int port,
        List<InetAddress> addresses,
        Grounds by,
        @Nullable RequestHead head,
        @Nullable Requests requests,
        Link link,
        @Nullable String reached,
        long begunAt) {}
