// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway;

import dev.redoma.engine.image.Outgoing;
import dev.redoma.engine.image.Registries;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/// HTTP/1.1 over connections of the checked dialler, with TLS by the machine's authorities or those that the operator names. The proxy
/// settings of the environment are not used.
public final class CheckedOutgoing implements Outgoing {
    private static final Duration READ = Duration.ofSeconds(30);

    private final CheckedDialler dialler;
    private final Registries registries;
    private final Authorities authorities = new Authorities();
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Origin, Socket> idle = new HashMap<>();
    private final Set<Socket> open = new HashSet<>();
    private boolean closed;

    public CheckedOutgoing(CheckedDialler dialler, Registries registries) {
        this.dialler = dialler;
        this.registries = registries;
    }

    @Override
    public Reply get(Origin origin, String target, Map<String, String> headers) throws IOException {
        var rules = registries.find(origin);
        if (!origin.tls() && rules.filter(Registries.Named::plainHttp).isEmpty()) {
            throw Problem.of(Code.ADDRESS_REFUSED, origin.authority() + " is not dialled without TLS.", "If it is meant so, name it under 'registries' in redoma.yaml with 'plain-http: true'.")
                    .with("host", origin.host()).raise();
        }
        var request = request(origin, target, headers);
        var kept = take(origin);
        if (kept != null) {
            var reply = exchange(origin, kept, request, true);
            if (reply != null) {
                return reply;
            }
        }
        var fresh = exchange(origin, connect(origin, rules), request, false);
        if (fresh == null) {
            throw new IOException(origin.authority() + " closed the connection without an answer");
        }
        return fresh;
    }

    private static byte[] request(Origin origin, String target, Map<String, String> headers) {
        var text = new StringBuilder("GET ").append(word(target)).append(" HTTP/1.1\r\nHost: ").append(word(origin.authority())).append("\r\nUser-Agent: redoma\r\nAccept-Encoding: identity\r\n");
        headers.forEach((name, value) -> text.append(word(name)).append(": ").append(line(value)).append("\r\n"));
        return text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String word(String text) {
        if (text.isEmpty() || text.chars().anyMatch(c -> c <= ' ' || c > 0x7e)) {
            throw Problem.of(Code.REGISTRY_FAILED, "an address has a character that no request may hold", "See whether the registry works.").raise();
        }
        return text;
    }

    private static String line(String text) {
        if (text.chars().anyMatch(c -> c < ' ' || c > 0x7e)) {
            throw Problem.of(Code.REGISTRY_FAILED, "a header has a character that no request may hold", "See whether the registry works.").raise();
        }
        return text;
    }

    /// Null where a kept connection turns out to be gone, or an unused one ends without an answer.
    private @Nullable Reply exchange(Origin origin, Socket socket, byte[] request, boolean kept) throws IOException {
        try {
            OutputStream out = socket.getOutputStream();
            out.write(request);
            out.flush();
            var answer = new HttpAnswer(socket);
            if (answer.head()) {
                return new Answered(origin, socket, answer);
            }
            release(socket);
            return null;
        } catch (IOException e) {
            release(socket);
            if (kept && e instanceof SocketException) {
                return null;
            }
            throw e;
        } catch (RuntimeException e) {
            release(socket);
            throw e;
        }
    }

    private Socket connect(Origin origin, Optional<Registries.Named> rules) throws IOException {
        var socket = dialler.dial(origin.host(), origin.port(), rules.filter(Registries.Named::allowPrivate).isPresent(), this::begun);
        try {
            socket.setSoTimeout((int) READ.toMillis());
            if (!origin.tls()) {
                return socket;
            }
            var context = authorities.of(rules.map(Registries.Named::caFile).orElse(null));
            var secure = (SSLSocket) context.getSocketFactory().createSocket(socket, origin.host(), origin.port(), true);
            SSLParameters parameters = secure.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
            secure.setSSLParameters(parameters);
            begun(secure);
            secure.startHandshake();
            return secure;
        } catch (IOException | RuntimeException e) {
            release(socket);
            throw e;
        }
    }

    private void begun(Socket socket) {
        lock.lock();
        try {
            if (!closed) {
                open.add(socket);
                return;
            }
        } finally {
            lock.unlock();
        }
        quietly(socket);
    }

    private @Nullable Socket take(Origin origin) {
        lock.lock();
        try {
            return idle.remove(origin);
        } finally {
            lock.unlock();
        }
    }

    private void keep(Origin origin, Socket socket) {
        lock.lock();
        try {
            if (!closed && idle.putIfAbsent(origin, socket) == null) {
                return;
            }
        } finally {
            lock.unlock();
        }
        release(socket);
    }

    private void release(Socket socket) {
        lock.lock();
        try {
            open.remove(socket);
        } finally {
            lock.unlock();
        }
        quietly(socket);
    }

    private static void quietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException unimportant) {
            // nothing was to be written any more
        }
    }

    @Override
    public void close() {
        List<Socket> all;
        lock.lock();
        try {
            closed = true;
            all = List.copyOf(open);
            open.clear();
            idle.clear();
        } finally {
            lock.unlock();
        }
        all.forEach(CheckedOutgoing::quietly);
    }

    private final class Answered implements Reply {
        private final Origin origin;
        private final Socket socket;
        private final HttpAnswer answer;
        private boolean done;

        Answered(Origin origin, Socket socket, HttpAnswer answer) {
            this.origin = origin;
            this.socket = socket;
            this.answer = answer;
        }

        @Override
        public int status() {
            return answer.status();
        }

        @Override
        public List<String> headers(String name) {
            return answer.headers(name);
        }

        @Override
        public InputStream body() {
            return answer;
        }

        /// A short rest is read, so that the connection can be used again.
        @Override
        public void close() {
            if (done) {
                return;
            }
            done = true;
            try {
                answer.readNBytes(8192);
            } catch (IOException broken) {
                release(socket);
                return;
            }
            if (answer.reusable()) {
                keep(origin, socket);
            } else {
                release(socket);
            }
        }
    }
}
