// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/// Another network namespace, held open. Channels opened here belong to it for as long as they live; binding, connecting, accepting,
/// reading and writing then work from any thread. Thread-safe.
public final class NetworkNamespace implements AutoCloseable {
    private final Fd fd;

    private NetworkNamespace(Fd fd) {
        this.fd = fd;
    }

    /// That of a process. Ask afterwards whether it is still the process that was meant: what is open by then stays what it was.
    public static NetworkNamespace ofProcess(long pid) {
        return of(Path.of("/proc", Long.toString(pid), "ns/net"));
    }

    public static NetworkNamespace of(Path file) {
        return new NetworkNamespace(Fd.open(file, Open.RDONLY, 0));
    }

    /// Says which it is among all that exist now.
    public long identity() {
        return fd.stat().inode();
    }

    public ServerSocketChannel serverSocket() {
        return inside(ServerSocketChannel::open);
    }

    public SocketChannel socket() {
        return inside(SocketChannel::open);
    }

    public DatagramChannel datagram(StandardProtocolFamily family) {
        return inside(() -> DatagramChannel.open(family));
    }

    /// For this room's own sockets. The work starts no thread and does not wait.
    <T> T inside(Callable<T> work) {
        return NamespaceThread.inside(fd, work);
    }

    @Override
    public void close() {
        fd.close();
    }
}
