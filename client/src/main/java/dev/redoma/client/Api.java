// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.client.http.Answer;
import dev.redoma.client.http.Body;
import dev.redoma.client.http.Failure;
import dev.redoma.client.http.Request;
import dev.redoma.client.http.Transport;
import dev.redoma.client.http.WebSocket;
import dev.redoma.client.json.Json;
import dev.redoma.client.json.JsonException;
import dev.redoma.model.wire.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Requests to one server, JSON in and out, failures as ClientException. Thread-safe.
final class Api implements AutoCloseable {
    private final URI server;
    private final String base;
    private final Transport transport;
    private final Patience patience;

    Api(URI server, String key, Patience patience) {
        this.server = server;
        this.base = server.getRawPath() == null ? "" : server.getRawPath().replaceAll("/+$", "");
        this.patience = patience;
        this.transport = new Transport(server, Map.of("Authorization", "Bearer " + key, "User-Agent", "redoma-java"), patience.connect());
    }

    URI server() {
        return server;
    }

    Patience patience() {
        return patience;
    }

    <T> T get(Target target, Class<T> type) {
        return read(Request.of("GET", base + target, patience.answer()), type);
    }

    <T> T getList(Target target, Class<?> list, Class<?> of) {
        var bytes = exchange(Request.of("GET", base + target, patience.answer()));
        return decode(() -> Json.read(bytes, list, of));
    }

    <T> T post(Target target, @Nullable Object body, Class<T> type) {
        return read(request("POST", target, body), type);
    }

    <T> T put(Target target, Object body, Class<T> type) {
        return read(request("PUT", target, body), type);
    }

    <T> T send(Request request, Class<T> type) {
        return read(request, type);
    }

    void send(String method, Target target, @Nullable Object body) {
        exchange(request(method, target, body));
    }

    <T> T delete(Target target, Class<T> type) {
        return read(Request.of("DELETE", base + target, patience.answer()), type);
    }

    Request request(String method, Target target, @Nullable Object body) {
        var request = Request.of(method, base + target, patience.answer()).header("Accept", "application/json");
        return body == null ? request : request.body(json(body));
    }

    static Body json(Object body) {
        return new Body.Bytes("application/json", Json.write(body).getBytes(StandardCharsets.UTF_8));
    }

    private <T> T read(Request request, Class<T> type) {
        var bytes = exchange(request);
        return decode(() -> Json.read(bytes, type));
    }

    private byte[] exchange(Request request) {
        try (var answer = opened(request)) {
            return answer.bytes();
        } catch (IOException e) {
            throw lost(e);
        }
    }

    private Answer opened(Request request) {
        try {
            return open(request);
        } catch (IOException local) {
            throw new UncheckedIOException(local);
        }
    }

    /// An answer of status 2xx, to be read and closed by the caller; anything else is thrown. An IOException comes from a local file of the body.
    Answer open(Request request) throws IOException {
        try {
            var answer = transport.send(request);
            if (answer.status() / 100 == 2) {
                return answer;
            }
            try (answer) {
                throw problem(answer.status(), answer.bytes());
            } catch (IOException cut) {
                throw lost(cut);
            }
        } catch (Failure failure) {
            throw translate(failure);
        }
    }

    WebSocket webSocket(Target target) throws IOException {
        try {
            return transport.webSocket(base + target, patience.answer());
        } catch (WebSocket.Refused refused) {
            throw problem(refused.status(), refused.body());
        } catch (Failure failure) {
            throw translate(failure);
        }
    }

    private ClientException translate(Failure failure) {
        return switch (failure) {
            case Failure.Unreachable u -> new ServerUnreachableException(server, u);
            case Failure.Broken b -> new ConnectionLostException("The connection to " + server + " was lost", b);
        };
    }

    ConnectionLostException lost(IOException e) {
        return new ConnectionLostException("The connection to " + server + " was lost", e);
    }

    static ClientException problem(int status, byte[] body) {
        try {
            return new RedomaApiException(Json.read(body, Problem.class));
        } catch (JsonException noProblem) {
            return new AnswerNotUnderstoodException("Status " + status + " without a problem document", noProblem);
        }
    }

    static <T> T decode(java.util.function.Supplier<T> reading) {
        try {
            return reading.get();
        } catch (JsonException e) {
            throw new AnswerNotUnderstoodException("The answer is not of the expected shape: " + e.getMessage(), e);
        }
    }

    Request plain(String method, Target target) {
        return Request.of(method, base + target, patience.answer());
    }

    @Override
    public void close() {
        transport.close();
    }
}
