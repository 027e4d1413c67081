// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/// One TCP or TLS connection with a read buffer. Used by one thread at a time; `close` from any.
final class Connection implements AutoCloseable {
    private final SocketChannel channel;
    private final Socket socket;
    private final InputBuffer in;
    private final OutputStream out;
    private final boolean plain;
    private long idleSince = System.nanoTime();

    private Connection(SocketChannel channel, Socket socket) throws IOException {
        this.channel = channel;
        this.socket = socket;
        this.plain = !(socket instanceof SSLSocket);
        this.in = new InputBuffer(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    static Connection open(URI origin, Duration patience) throws Failure {
        boolean tls = "https".equals(origin.getScheme());
        int port = origin.getPort() > 0 ? origin.getPort() : tls ? 443 : 80;
        IOException last = new IOException("no address");
        try {
            for (var address : InetAddress.getAllByName(host(origin))) {
                try {
                    return connect(new InetSocketAddress(address, port), origin, tls, patience);
                } catch (IOException e) {
                    last = e;
                }
            }
        } catch (IOException unknown) {
            last = new IOException("the host name is not known", unknown);
        }
        throw new Failure.Unreachable(String.valueOf(last.getMessage()), last);
    }

    private static String host(URI origin) {
        var host = origin.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private static Connection connect(InetSocketAddress to, URI origin, boolean tls, Duration patience) throws IOException {
        var channel = SocketChannel.open();
        try {
            channel.socket().connect(to, (int) patience.toMillis());
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            return new Connection(channel, tls ? secured(channel.socket(), origin, to.getPort(), patience) : channel.socket());
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static Socket secured(Socket plain, URI origin, int port, Duration patience) throws IOException {
        var tls = (SSLSocket) ((SSLSocketFactory) SSLSocketFactory.getDefault()).createSocket(plain, host(origin), port, true);
        var parameters = tls.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        tls.setSSLParameters(parameters);
        tls.setSoTimeout((int) patience.toMillis());
        try {
            tls.startHandshake();
        } catch (SocketTimeoutException silent) {
            throw new SSLException("it does not answer in TLS", silent);
        }
        return tls;
    }

    InputBuffer in() {
        return in;
    }

    OutputStream out() {
        return out;
    }

    /// The channel itself, for file transfers that need no copy; null under TLS.
    @org.jspecify.annotations.Nullable SocketChannel rawChannel() {
        return plain ? channel : null;
    }

    /// A read that gets no byte for that long fails.
    void patience(Duration patience) throws IOException {
        socket.setSoTimeout((int) Math.clamp(patience.toMillis(), 1, Integer.MAX_VALUE));
    }

    boolean somethingToRead() throws IOException {
        return in.buffered() > 0 || socket.getInputStream().available() > 0;
    }

    void rest() {
        idleSince = System.nanoTime();
    }

    /// False when the other side hung up, spoke out of turn, or the connection is old enough that it soon will.
    boolean fresh(Duration oldest) {
        if (System.nanoTime() - idleSince > oldest.toNanos() || in.buffered() > 0) {
            return false;
        }
        return !plain || silent();
    }

    private boolean silent() {
        try {
            channel.configureBlocking(false);
            int read = channel.read(ByteBuffer.allocate(1));
            channel.configureBlocking(true);
            return read == 0;
        } catch (IOException dead) {
            return false;
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
            channel.close();
        } catch (IOException alreadyGone) {
            // Nothing is left to release.
        }
    }

    /// Buffers heads and lines; bulk reads go past it.
    static final class InputBuffer extends InputStream {
        private final InputStream from;
        private final byte[] buffer = new byte[16 * 1024];
        private int next;
        private int end;

        InputBuffer(InputStream from) {
            this.from = from;
        }

        int buffered() {
            return end - next;
        }

        @Override
        public int read() throws IOException {
            if (next == end && !fill()) {
                return -1;
            }
            return buffer[next++] & 0xff;
        }

        private boolean fill() throws IOException {
            next = 0;
            end = Math.max(0, from.read(buffer));
            return end > 0;
        }

        @Override
        public int read(byte[] to, int off, int len) throws IOException {
            if (next == end) {
                if (len >= buffer.length) {
                    return from.read(to, off, len);
                }
                if (len == 0 || !fill()) {
                    return len == 0 ? 0 : -1;
                }
            }
            int n = Math.min(len, end - next);
            System.arraycopy(buffer, next, to, off, n);
            next += n;
            return n;
        }
    }
}
