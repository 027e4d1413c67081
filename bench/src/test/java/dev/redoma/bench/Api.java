// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The native API as docs/api.md tells it, spoken by hand: what these tests see is the wire, not our client.
final class Api {
    static final JsonMapper JSON = JsonMapper.builder().build();

    private final URI base;
    private final String key;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(5)).build();

    Api(URI base, String key) {
        this.base = base;
        this.key = key;
    }

    Api as(String otherKey) {
        return new Api(base, otherKey);
    }

    URI base() {
        return base;
    }

    String key() {
        return key;
    }

    /// An answer: status, headers and whole body.
    record Answer(int status, java.net.http.HttpHeaders headers, byte[] bytes) {
        String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        JsonNode json() {
            return JSON.readTree(bytes);
        }

        Answer expect(int wanted) {
            if (status != wanted) {
                throw new AssertionError("expected " + wanted + ", got " + status + ": " + text());
            }
            return this;
        }

        /// The problem's code, having checked that this is a problem document and no HTML.
        String code() {
            var type = headers.firstValue("content-type").orElse("");
            if (!type.startsWith("application/problem+json")) {
                throw new AssertionError("not a problem document: " + status + " " + type + " " + text());
            }
            return json().get("code").asString();
        }
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(base.resolve(path)).header("Authorization", "Bearer " + key).timeout(Duration.ofMinutes(5));
    }

    Answer send(HttpRequest request) {
        try {
            HttpResponse<byte[]> answer = http.send(request, BodyHandlers.ofByteArray());
            return new Answer(answer.statusCode(), answer.headers(), answer.body());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    HttpResponse<InputStream> open(HttpRequest request) {
        try {
            return http.send(request, BodyHandlers.ofInputStream());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    Answer get(String path) {
        return send(request(path).GET().build());
    }

    Answer delete(String path) {
        return send(request(path).DELETE().build());
    }

    Answer post(String path, Object body) {
        return send(json(path, body).build());
    }

    HttpRequest.Builder json(String path, Object body) {
        return request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)));
    }

    Answer patch(String path, Object body) {
        return send(request(path).header("Content-Type", "application/json").method("PATCH", BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body))).build());
    }

    Answer put(String path, byte[] body, String type) {
        return send(request(path).header("Content-Type", type).PUT(BodyPublishers.ofByteArray(body)).build());
    }

    static String query(Map<String, ?> parameters) {
        var out = new StringBuilder();
        parameters.forEach((k, v) -> out.append(out.isEmpty() ? "?" : "&").append(k).append('=').append(encode(String.valueOf(v))));
        return out.toString();
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /// What an output stream brought: the bytes of both streams, the last Exec frame, and whether the stream ended as it should.
    record Output(byte[] out, byte[] err, JsonNode exec, JsonNode problem) {
        String text() {
            return new String(out, StandardCharsets.UTF_8);
        }

        String errText() {
            return new String(err, StandardCharsets.UTF_8);
        }

        int code() {
            return exec.get("exitCode").asInt();
        }

        String state() {
            return exec == null ? "interrupted" : exec.get("state").asString();
        }
    }

    static Output readFrames(InputStream body) throws IOException {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        JsonNode exec = null;
        int told = 0;
        JsonNode problem = null;
        try (var in = new DataInputStream(new java.io.BufferedInputStream(body, 1 << 16))) {
            while (true) {
                int type = in.read();
                if (type < 0) {
                    break;
                }
                var payload = in.readNBytes(in.readInt());
                switch (type) {
                    case 1 -> out.write(payload);
                    case 2 -> err.write(payload);
                    case 3 -> {
                        exec = JSON.readTree(payload);
                        told++;
                    }
                    case 4 -> {}
                    case 5 -> problem = JSON.readTree(payload);
                    default -> throw new IOException("frame of unknown type " + type);
                }
            }
        } catch (EOFException cut) {
            return new Output(out.toByteArray(), err.toByteArray(), null, problem);
        }
        // The first one only says how the exec was when the stream began.
        return new Output(out.toByteArray(), err.toByteArray(), told > 1 ? exec : null, problem);
    }
}
