// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.proto.Request;
import java.nio.file.Path;
import java.time.Duration;

/// The engine's end of one sandbox's channel: listens on `guest.sock` and hands out connections for operations. What comes from
/// it is hostile input. Thread-safe.
interface GuestLink extends AutoCloseable {

    /// Binds the socket in a directory (owned by `ownerUid`, the socket 0600) so that the guest can dial before it starts. A stale socket
    /// of an earlier server is replaced. Nothing is accepted until `bind`.
    static GuestLink listen(Path channelDir, long ownerUid) {
        return SocketLink.listen(channelDir, ownerUid);
    }

    /// From now on takes connections whose peer (SO_PEERCRED) is the init of this instance, and of children it owns.
    void bind(Instance instance);

    /// Takes a spare connection, sends the request; GUEST_UNREACHABLE when none came in that time.
    GuestOp open(Request request, Duration atMost);

    /// Waits until the guest has dialled once.
    void awaitReady(Duration atMost);

    /// Announces that a child of this exec will dial. `arrival` runs once, on a thread of its own, with the child's host pid; true lets
    /// the child go, false (or an exception) ends it. Closing takes the announcement back.
    Expected expect(String exec, Arrival arrival);

    @Override
    void close();

    /// Decides about a child that has dialled.
    interface Arrival {
        boolean admit(int hostPid) throws InterruptedException;
    }

    /// An announcement in force.
    interface Expected extends AutoCloseable {
        @Override
        void close();
    }
}
