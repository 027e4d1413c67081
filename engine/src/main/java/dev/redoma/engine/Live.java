// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import java.util.Map;

/// The live side of a running (or paused) sandbox: what execs and files work on. Held by the lifecycle, thread-safe.
interface Live {

    SandboxId id();

    TenantId tenant();

    /// Digest of the exact version that it was made from.
    String version();

    Instance instance();

    GuestLink guest();

    /// Where connections into it come from.
    Inlet inlet();

    /// Environment given at create, under that of each exec.
    Map<String, String> env();

    /// Its policy intercepts TLS: programs are told whom to trust.
    default boolean trusts() {
        return false;
    }

    /// User of commands and files where none is given (`user` in the base template), and its working directory (null: home).
    String defaultUser();

    @org.jspecify.annotations.Nullable String defaultCwd();

    InstanceLimits limits();

    boolean sudo();

    /// Something counted as activity happened now (idle limit).
    void touch();

    /// While open, the sandbox is not idle. Refused with `wrong-state` where it just goes out of use for having been idle.
    Busy busy();

    /// While it is open, what this connection carries either way counts as activity.
    void carries(java.nio.channels.SocketChannel connection);

    /// Closed when the activity ends.
    interface Busy extends AutoCloseable {
        @Override
        void close();
    }
}
