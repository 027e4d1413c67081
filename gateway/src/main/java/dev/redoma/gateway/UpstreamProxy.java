// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.policy.AddressBlock;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The HTTP proxy that stands between this host and the others. It is asked for a tunnel (`CONNECT`, RFC 9110) to an address that was checked, never to a name: who a name is stays decided here.
/// Credentials are read anew for each tunnel, so that they may change. Thread-safe.
public final class UpstreamProxy {
    private static final int HEAD = 8192;
    private static final int CREDENTIALS = 4096;
    private static final int SILENT = -2;

    private final String host;
    private final int port;
    private final @Nullable Path credentials;
    private volatile List<InetAddress> addresses;

    /// `credentials`: a file with `USER:PASSWORD` in it, which nobody but its owner may read; null: none.
    public UpstreamProxy(String host, int port, @Nullable Path credentials) {
        this.host = host;
        this.port = port;
        this.credentials = credentials;
        this.addresses = AddressBlock.address(host).map(List::of).orElse(List.of());
        try {
            authorization(); // a server that cannot read them does not start
        } catch (IOException unfit) {
            throw Problem.of(Code.INVALID_FIELD, "upstream.proxy-credentials: " + unfit.getMessage(), "Name a file of mode 0600 with USER:PASSWORD in it.").with("field", "upstream.proxy-credentials").raise(unfit);
        }
    }

    /// The proxy did not give a tunnel. `status`: what it answered.
    public static final class NoTunnel extends IOException {
        private static final long serialVersionUID = 1L;
        private final int status;

        NoTunnel(int status, String told) {
            super(told);
            this.status = status;
        }

        public int status() {
            return status;
        }
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    /// Whether it was last seen at that address.
    boolean at(InetAddress address) {
        return addresses.contains(address);
    }

    /// Where it is now.
    InetSocketAddress find(CheckedDialler.Resolver resolver, long deadline) throws IOException {
        if (AddressBlock.address(host).isEmpty()) {
            addresses = lookUp(resolver, deadline);
        }
        return new InetSocketAddress(addresses.getFirst(), port);
    }

    /// On a thread of its own: the system's resolver holds the one that asks.
    private List<InetAddress> lookUp(CheckedDialler.Resolver resolver, long deadline) throws IOException {
        var asked = new FutureTask<>(() -> List.of(resolver.resolve(host)));
        Thread.ofPlatform().daemon().name("redoma-proxy-name").start(asked);
        try {
            return asked.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the proxy's name " + host + " leads nowhere", e);
        }
    }

    /// Over a connection to it. When this returns what is sent goes to the target.
    void tunnel(Socket to, InetAddress target, int targetPort, long deadline) throws IOException {
        String authority = (target instanceof Inet6Address ? "[" + target.getHostAddress() + "]" : target.getHostAddress()) + ":" + targetPort;
        to.getOutputStream().write(("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n" + authorization() + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        to.getOutputStream().flush();
        int status = status(head(to, deadline));
        if (status / 100 != 2) {
            throw new NoTunnel(status, "the proxy " + this + " answers " + status + " for " + authority + (status == 407 ? ": it wants other credentials" : ""));
        }
        to.setSoTimeout(0);
    }

    /// To its end and not a byte further: what follows is the target's.
    private String head(Socket from, long deadline) throws IOException {
        var text = new StringBuilder();
        while (text.length() < 4 || text.indexOf("\r\n\r\n", text.length() - 4) < 0) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            int next = left <= 0 ? SILENT : read(from, (int) left);
            if (next == SILENT) {
                throw new NoTunnel(0, "the proxy " + this + " does not answer");
            }
            if (next < 0 || text.length() >= HEAD) {
                throw new NoTunnel(0, "the proxy " + this + (next < 0 ? " ends the connection" : " answers more than " + HEAD + " bytes"));
            }
            text.append((char) next);
        }
        return text.toString();
    }

    private static int read(Socket from, int millis) throws IOException {
        from.setSoTimeout(millis);
        try {
            return from.getInputStream().read();
        } catch (SocketTimeoutException silent) {
            return SILENT;
        }
    }

    private int status(String head) throws IOException {
        if (!head.matches("(?s)HTTP/1\\.[01] [1-9][0-9]{2}[ \\r].*")) {
            throw new NoTunnel(0, "the proxy " + this + " does not answer in HTTP");
        }
        return Integer.parseInt(head.substring(9, 12));
    }

    private String authorization() throws IOException {
        if (credentials == null) {
            return "";
        }
        var others = EnumSet.noneOf(PosixFilePermission.class);
        others.addAll(Files.getPosixFilePermissions(credentials));
        others.removeAll(EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
        if (!others.isEmpty()) {
            throw new IOException(credentials + " may be used by others than its owner");
        }
        if (Files.size(credentials) > CREDENTIALS) {
            throw new IOException(credentials + " has more than " + CREDENTIALS + " bytes");
        }
        String text = Files.readString(credentials).strip();
        if (text.indexOf(':') < 1 || text.chars().anyMatch(c -> c < ' ' || c == 0x7f)) {
            throw new IOException(credentials + " holds no USER:PASSWORD");
        }
        return "Proxy-Authorization: Basic " + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)) + "\r\n";
    }
}
