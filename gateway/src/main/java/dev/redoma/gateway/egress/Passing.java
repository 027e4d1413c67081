// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.policy.EgressDecision.Allow;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A connection that was let through, as the policy is asked about it again when it changes. `host` is null where the program named an address; `head` where no request
/// was read.
record Passing(@Nullable String host, int port, List<InetAddress> addresses, Allow by, @Nullable RequestHead head, Relay relay, @Nullable String reached, long begunAt) {}
