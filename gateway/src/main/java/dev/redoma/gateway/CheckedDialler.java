// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.policy.AddressKind;
import dev.redoma.policy.AddressSpace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Connects to other machines on behalf of a tenant: it resolves a name once, refuses it if any of its addresses may not be dialled, and
/// dials exactly an address that it has checked: where the operator names a proxy, by a tunnel through that to the address, unless it is a private one. Thread-safe.
public final class CheckedDialler {
    private final Resolver resolver;
    private final Predicate<InetAddress> own;
    private final AddressSpace space;
    private final Supplier<SocketChannel> sockets;
    private final Duration patience;
    private final @Nullable UpstreamProxy proxy;

    /// How a name becomes addresses.
    public interface Resolver {
        InetAddress[] resolve(String host) throws IOException;
    }

    public CheckedDialler() {
        this(AddressRules::resolve, Duration.ofSeconds(10));
    }

    /// By these name servers where there are any, else by the host's resolver. `own`: addresses that are this host's although no interface has them. `space`: what is public here.
    /// `proxy`: through which public addresses are reached; null: directly.
    public static CheckedDialler of(List<InetSocketAddress> nameServers, Predicate<InetAddress> own, AddressSpace space, @Nullable UpstreamProxy proxy) {
        Resolver resolver = nameServers.isEmpty() ? AddressRules::resolve : new UpstreamResolver(nameServers);
        return new CheckedDialler(resolver, own, space, CheckedDialler::channel, Duration.ofSeconds(10), proxy);
    }

    CheckedDialler(Resolver resolver, Duration patience) {
        this(resolver, CheckedDialler::channel, patience);
    }

    /// `sockets`: where connections begin, when it is not this process' own network.
    public CheckedDialler(Resolver resolver, Supplier<SocketChannel> sockets, Duration patience) {
        this(resolver, none -> false, AddressSpace.INTERNET, sockets, patience, null);
    }

    CheckedDialler(Resolver resolver, Predicate<InetAddress> own, AddressSpace space, Supplier<SocketChannel> sockets, Duration patience, @Nullable UpstreamProxy proxy) {
        this.proxy = proxy;
        this.resolver = resolver;
        this.own = own;
        this.space = space;
        this.sockets = sockets;
        this.patience = patience;
    }

    /// Whether an address is one of this host's, by its interfaces or by what its operator says. The proxy's counts as one: nobody inside speaks to it.
    public boolean own(InetAddress address) {
        return own.test(address) || AddressRules.own(address) || proxy != null && proxy.at(address);
    }

    /// Through which proxy public addresses are reached.
    public Optional<UpstreamProxy> proxy() {
        return Optional.ofNullable(proxy);
    }

    /// Whether it is an address of one of this host's interfaces.
    public static boolean interfaceHas(InetAddress address) {
        return AddressRules.own(address);
    }

    /// What is public where it dials.
    public AddressSpace space() {
        return space;
    }

    private static SocketChannel channel() {
        try {
            return SocketChannel.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What the name leads to now. An address stands for itself.
    public List<InetAddress> resolve(String host) throws IOException {
        return List.of(resolver.resolve(host));
    }

    /// A connection, and the checked address at its end.
    public record Dialled(SocketChannel channel, InetAddress address) {}

    /// To the first of these addresses that answers. Whoever calls has checked every one of them.
    public Dialled dial(List<InetAddress> checked, int port) throws IOException {
        return first("no address", checked, (address, deadline) -> {
            var channel = sockets.get();
            try {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                connect(channel.socket(), address, port, deadline);
                return new Dialled(channel, address);
            } catch (IOException | RuntimeException failed) {
                channel.close();
                throw failed;
            }
        });
    }

    /// `allowPrivate`: the operator named this very destination as one of the inside. `begun` gets each socket before it connects, so that
    /// another thread can end the wait.
    Socket dial(String host, int port, boolean allowPrivate, Consumer<Socket> begun) throws IOException {
        var addresses = List.of(resolver.resolve(host));
        for (var address : addresses) {
            check(host, port, address, allowPrivate);
        }
        return first(host + " has no address", addresses, (address, deadline) -> {
            var socket = new Socket(Proxy.NO_PROXY);
            begun.accept(socket);
            try {
                socket.setTcpNoDelay(true);
                connect(socket, address, port, deadline);
                return socket;
            } catch (IOException | RuntimeException failed) {
                socket.close();
                throw failed;
            }
        });
    }

    private interface To<T> {
        T dial(InetAddress address, long deadline) throws IOException;
    }

    private <T> T first(String none, List<InetAddress> addresses, To<T> to) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        IOException failed = null;
        for (var address : addresses) {
            if (left(deadline) > 0) {
                try {
                    return to.dial(address, deadline);
                } catch (UpstreamProxy.NoTunnel refused) {
                    failed = refused;
                } catch (IOException e) {
                    failed = new IOException(address.getHostAddress() + ": " + e.getMessage(), e);
                }
            }
        }
        throw failed == null ? new IOException(none) : failed;
    }

    /// What the name leads to now, each of it an address that may be dialled.
    List<InetAddress> checked(String host, int port, boolean allowPrivate) throws IOException {
        var addresses = resolve(host);
        addresses.forEach(address -> check(host, port, address, allowPrivate));
        return addresses;
    }

    private static long left(long deadline) {
        return TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }

    /// What is private is this network's own, and reached without the proxy.
    private void connect(Socket socket, InetAddress address, int port, long deadline) throws IOException {
        if (proxy == null || space.kind(address).isPresent()) {
            socket.connect(new InetSocketAddress(address, port), (int) left(deadline));
            return;
        }
        try {
            socket.connect(proxy.find(resolver, deadline), (int) Math.max(1, left(deadline)));
        } catch (IOException gone) {
            throw new UpstreamProxy.NoTunnel(0, "the proxy " + proxy + ": " + gone.getMessage());
        }
        proxy.tunnel(socket, address, port, deadline);
    }

    private void check(String host, int port, InetAddress address, boolean allowPrivate) {
        Optional<AddressKind> kind = kind(address);
        if (kind.isEmpty() || allowPrivate && !kind.get().never()) {
            return;
        }
        var remedy = kind.get().never()
                ? "Nothing there is ever dialled."
                : "If it is meant so, name " + host + ":" + port + " under 'registries' in redoma.yaml with 'allow-private: true'.";
        throw Problem.of(Code.ADDRESS_REFUSED, host + ":" + port + " is not dialled: its address " + address.getHostAddress() + " is " + kind.get() + ".", remedy)
                .with("host", host).with("address", address.getHostAddress()).with("kind", kind.get().toString()).raise();
    }

    private Optional<AddressKind> kind(InetAddress address) {
        boolean mine = own(address) || space.translated(address).filter(this::own).isPresent();
        return space.kind(address).or(() -> mine ? Optional.of(AddressKind.OWN) : Optional.empty());
    }
}
