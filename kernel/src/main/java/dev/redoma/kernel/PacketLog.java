// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.function.Consumer;

/// What the packet rules of a namespace refuse, as the kernel logs it (NFLOG): one message a packet, kept by the kernel until it is read, of no more packets than its buffer takes; the
/// others are counted by it. One at a time for each namespace. It costs no thread, and no memory while nothing is refused. Thread-safe.
public final class PacketLog implements AutoCloseable {
    static final int GROUP = 1;
    /// Of each packet, from its network header on: that, and the beginning of what it carries.
    static final int BYTES = 128;
    private static final int CONFIG = 4 << 8 | 1;
    private static final int LOGGED = 4 << 8;
    private static final int FAMILY_HEAD = 4;
    private static final int PAYLOAD = 9;
    /// The kernel takes twice that, which is some hundred packets.
    private static final int BUFFER = 64 << 10;
    /// Of one message; with all that the kernel says beside the packet it is half of that.
    private static final int MESSAGE = 1024;
    /// More than the buffer ever holds: reading ends, also while more come.
    private static final int AT_ONCE = 512;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVBUF = 8;
    private static final int SO_MEMINFO = 55;
    private static final int DROPS = 8;
    private static final int SOL_NETLINK = 270;
    private static final int NO_ENOBUFS = 5;
    private static final int TRUNC = 0x20;

    private final Fd socket;
    /// Came before it was asked for.
    private final ArrayDeque<LoggedPacket> early = new ArrayDeque<>();
    private int dropped;
    private boolean closed;

    private PacketLog(Fd socket) {
        this.socket = socket;
    }

    /// From now on. A kernel that cannot is a `KernelException`.
    public static PacketLog open(NetworkNamespace namespace) {
        var log = new PacketLog(Netlink.socket(namespace, Netlink.NETFILTER));
        try {
            log.begin();
            return log;
        } catch (RuntimeException refused) {
            log.close();
            throw refused;
        }
    }

    private void begin() {
        option(SOL_SOCKET, SO_RCVBUF, BUFFER);
        option(SOL_NETLINK, NO_ENOBUFS, 1); // what has no room is lost alone, and not all until everything is read
        var to = new NetlinkMessage().message(CONFIG, NetlinkMessage.ACK).bytes((byte) 0, (byte) 0, (byte) (GROUP >> 8), (byte) GROUP);
        to.attribute(1, new byte[] {1}).attribute(2, ByteBuffer.allocate(6).putInt(BYTES).put((byte) 2).put((byte) 0).array()); // begin; packets, their first bytes
        to.number(3, MESSAGE / 2).number(5, 1); // what is taken for a message at least; one is sent as soon as it is there
        byte[] all = to.done();
        try (var arena = Arena.ofConfined()) {
            Sys.check(Sys.retried(Nr.SENDTO, socket.number(), Sys.bytes(arena, all, 0).address(), all.length, Netlink.DONT_WAIT, 0, 0), "sendto netlink", "packet log of a namespace");
            var answer = new int[] {-1};
            receive(arena, message -> {
                if (type(message) == Netlink.ERROR) {
                    answer[0] = message.byteSize() >= Netlink.HEAD + 4 ? -message.get(JAVA_INT, Netlink.HEAD) : Errno.EIO;
                } else {
                    packet(message).ifPresent(early::add);
                }
            });
            if (answer[0] != 0) {
                throw new KernelException(answer[0] < 0 ? Errno.EIO : answer[0], "the log of refused packets (NFLOG)", "packet log of a namespace");
            }
        }
    }

    /// Those since it was asked last, the oldest first; returns how many there were of which nothing else is known. Does not wait. None once it is closed.
    public synchronized long read(Consumer<LoggedPacket> each) {
        if (closed) {
            return 0;
        }
        var unknown = new long[1];
        var came = new boolean[1];
        while (!early.isEmpty()) {
            each.accept(early.remove());
        }
        try (var arena = Arena.ofConfined()) {
            receive(arena, message -> {
                came[0] = true;
                if (type(message) == LOGGED) {
                    packet(message).ifPresentOrElse(each, () -> unknown[0]++);
                }
            });
            if (came[0]) { // an empty buffer had room
                int now = drops(arena);
                unknown[0] += Integer.toUnsignedLong(now - dropped);
                dropped = now;
            }
        }
        return unknown[0];
    }

    private void receive(Arena arena, Consumer<MemorySegment> each) {
        var buffer = arena.allocate(MESSAGE, 8);
        for (int i = 0; i < AT_ONCE; i++) {
            long n = Sys.retried(Nr.RECVFROM, socket.number(), buffer.address(), buffer.byteSize(), Netlink.DONT_WAIT | TRUNC, 0, 0);
            if (n == -Errno.EAGAIN) {
                return;
            }
            Sys.check(n, "recvfrom netlink", "packet log of a namespace");
            long said = n < Netlink.HEAD ? 0 : Integer.toUnsignedLong(buffer.get(JAVA_INT, 0));
            if (said >= Netlink.HEAD) {
                each.accept(buffer.asSlice(0, Math.min(buffer.byteSize(), Math.min(n, said))));
            }
        }
    }

    private static int type(MemorySegment message) {
        return Short.toUnsignedInt(message.get(JAVA_SHORT, 4));
    }

    /// Empty: it cannot be told what it was.
    private static Optional<LoggedPacket> packet(MemorySegment message) {
        for (long at = Netlink.HEAD + FAMILY_HEAD; at + 4 <= message.byteSize(); ) {
            int length = Short.toUnsignedInt(message.get(JAVA_SHORT, at));
            if (length < 4 || at + length > message.byteSize()) {
                return Optional.empty();
            }
            if ((message.get(JAVA_SHORT, at + 2) & 0x3fff) == PAYLOAD) {
                return LoggedPacket.of(message.asSlice(at + 4, length - 4).toArray(ValueLayout.JAVA_BYTE));
            }
            at += length + 3 & ~3;
        }
        return Optional.empty();
    }

    /// How many found no room in its buffer.
    private int drops(Arena arena) {
        var told = arena.allocate(4L * (DROPS + 1), 4);
        var length = arena.allocateFrom(JAVA_INT, (int) told.byteSize());
        Sys.check(Sys.retried(Nr.GETSOCKOPT, socket.number(), SOL_SOCKET, SO_MEMINFO, told.address(), length.address(), 0), "getsockopt SO_MEMINFO", "packet log of a namespace");
        return told.get(JAVA_INT, 4L * DROPS);
    }

    private void option(int level, int name, int value) {
        try (var arena = Arena.ofConfined()) {
            Sys.check(Sys.retried(Nr.SETSOCKOPT, socket.number(), level, name, arena.allocateFrom(JAVA_INT, value).address(), 4, 0), "setsockopt", "packet log of a namespace");
        }
    }

    /// What is not read by then is lost.
    @Override
    public synchronized void close() {
        closed = true;
        socket.close();
    }
}
