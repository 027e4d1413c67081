// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.channels.SocketChannel;

/// Who dialled a Unix socket, as the kernel noted it when that process called connect (SO_PEERCRED). `pid` is in this process' own
/// pid namespace, 0 where the peer is not visible from it.
public record Peer(int pid, long uid, long gid) {
    private static final int SOL_SOCKET = 1;
    private static final int SO_PEERCRED = 17;
    private static final MethodHandle NUMBER = number();

    /// The peer of an accepted channel.
    public static Peer of(SocketChannel channel) {
        try (var arena = Arena.ofConfined()) {
            var cred = arena.allocate(12, 4);
            var length = arena.allocateFrom(ValueLayout.JAVA_INT, 12);
            long r = Sys.retried(Nr.GETSOCKOPT, fd(channel), SOL_SOCKET, SO_PEERCRED, cred.address(), length.address(), 0);
            Sys.check(r, "getsockopt", "SO_PEERCRED");
            return new Peer(cred.get(ValueLayout.JAVA_INT, 0), unsigned(cred.get(ValueLayout.JAVA_INT, 4)),
                    unsigned(cred.get(ValueLayout.JAVA_INT, 8)));
        }
    }

    private static long unsigned(int id) {
        return Integer.toUnsignedLong(id);
    }

    static int fd(SocketChannel channel) {
        try {
            return (int) NUMBER.invoke(channel);
        } catch (Throwable t) {
            throw new IllegalStateException("descriptor of " + channel, t);
        }
    }

    /// By name, because javac knows nothing of `--add-exports` together with `--release`.
    private static MethodHandle number() {
        try {
            var type = Class.forName("sun.nio.ch.SelChImpl");
            return MethodHandles.lookup().findVirtual(type, "getFDVal", MethodType.methodType(int.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("start the JVM with --add-exports=java.base/sun.nio.ch=ALL-UNNAMED", e);
        }
    }
}
