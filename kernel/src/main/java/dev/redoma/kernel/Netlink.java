// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A netlink socket of a network namespace. The kernel carries messages out while they are sent, so nothing here waits. Thread-safe.
final class Netlink implements AutoCloseable {
    static final int ROUTE = 0;
    static final int NETFILTER = 12;
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    static final int DONT_WAIT = 0x40;
    static final int ERROR = 2;
    static final int HEAD = 16;

    private final Fd socket;

    private Netlink(Fd socket) {
        this.socket = socket;
    }

    static Netlink open(NetworkNamespace namespace, int protocol) {
        return new Netlink(socket(namespace, protocol));
    }

    static Fd socket(NetworkNamespace namespace, int protocol) {
        return namespace.inside(() -> new Fd(Sys.check(Sys.retried(Nr.SOCKET, AF_NETLINK, SOCK_RAW_CLOEXEC, protocol), "socket", "netlink"), "netlink"));
    }

    /// Returns when every message was carried out; the first that was refused is told.
    synchronized void send(NetlinkMessage messages, String attempted) {
        byte[] all = messages.done();
        try (var arena = Arena.ofConfined()) {
            var from = Sys.bytes(arena, all, 0);
            Sys.check(Sys.retried(Nr.SENDTO, socket.number(), from.address(), all.length, DONT_WAIT, 0, 0), "sendto netlink", attempted);
            int seen = answers(arena.allocate(32 << 10, 8), attempted);
            if (seen != messages.answered()) {
                throw new KernelException(Errno.EIO, "netlink (" + seen + " of " + messages.answered() + " answers)", attempted);
            }
        }
    }

    private int answers(MemorySegment buffer, String attempted) {
        int seen = 0;
        int error = 0;
        while (true) {
            long n = Sys.retried(Nr.RECVFROM, socket.number(), buffer.address(), buffer.byteSize(), DONT_WAIT, 0, 0);
            if (n == -Errno.EAGAIN) {
                break;
            }
            Sys.check(n, "recvfrom netlink", attempted);
            for (long at = 0; at + HEAD <= n; ) {
                long length = Integer.toUnsignedLong(buffer.get(ValueLayout.JAVA_INT, at));
                if (buffer.get(ValueLayout.JAVA_SHORT, at + 4) == ERROR) {
                    int told = buffer.get(ValueLayout.JAVA_INT, at + HEAD);
                    error = error == 0 ? -told : error;
                    seen++;
                }
                at += Math.max(HEAD, length + 3 & ~3L);
            }
        }
        if (error != 0) {
            throw new KernelException(error, "netlink", attempted);
        }
        return seen;
    }

    @Override
    public void close() {
        socket.close();
    }
}
