// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// An HTTP proxy on loopback that gives tunnels, to other places than it was asked for where `routes` says so, and notes what it was asked.
final class LocalProxy implements AutoCloseable {
    /// The whole head of each request.
    final List<String> asked = new CopyOnWriteArrayList<>();
    final Map<String, InetSocketAddress> routes = new ConcurrentHashMap<>();
    private final ServerSocket listener = new ServerSocket(0, 64, InetAddress.ofLiteral("127.0.0.1"));
    private volatile @Nullable String wanted;
    private volatile byte @Nullable [] says;

    LocalProxy() throws IOException {
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /// `USER:PASSWORD`; null: nobody has to say who he is.
    void wants(@Nullable String credentials) {
        wanted = credentials == null ? null : "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
    }

    /// To every request, whatever it is; null: as a proxy does.
    void says(byte @Nullable [] answer) {
        says = answer;
    }

    /// What it was asked to lead to.
    List<String> targets() {
        return asked.stream().map(head -> head.lines().findFirst().orElse("").split(" ")[1]).toList();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                var socket = listener.accept();
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket from) {
        try (from) {
            String head = head(from.getInputStream());
            asked.add(head);
            OutputStream out = from.getOutputStream();
            byte[] fixed = says;
            if (fixed != null) {
                out.write(fixed);
                from.getInputStream().read();
                return;
            }
            String secret = wanted;
            if (secret != null && head.lines().noneMatch(l -> l.equalsIgnoreCase("Proxy-Authorization: " + secret))) {
                out.write("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n".getBytes());
                return;
            }
            String target = head.split(" ")[1];
            int colon = target.lastIndexOf(':');
            var to = routes.getOrDefault(target, new InetSocketAddress(target.substring(0, colon), Integer.parseInt(target.substring(colon + 1))));
            try (var there = new Socket(to.getAddress(), to.getPort())) {
                out.write("HTTP/1.1 200 Connection established\r\nVia: 1.1 local\r\n\r\n".getBytes());
                var down = Thread.ofVirtual().start(() -> copy(there, from));
                copy(from, there);
                down.join();
            }
        } catch (IOException | InterruptedException gone) {
            // whoever asked sees the connection end
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException gone) {
            // the other way ends as well
        }
    }

    private static String head(InputStream in) throws IOException {
        var text = new StringBuilder();
        while (text.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("no request");
            }
            text.append((char) next);
        }
        return text.toString();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
