// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.client.http.Answer;
import dev.redoma.client.http.Request;
import dev.redoma.client.json.Json;
import dev.redoma.model.wire.FileEvent;
import dev.redoma.model.wire.Problem;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// A watch in force. One thread takes events; `close` from any ends it.
public final class FileWatch implements AutoCloseable {
    private final Answer answer;
    private final BufferedReader lines;

    private FileWatch(Answer answer) {
        this.answer = answer;
        this.lines = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
    }

    static FileWatch open(Api api, Request request) throws IOException {
        var watch = new FileWatch(api.open(request));
        try {
            var first = watch.event();
            if (first == null || !first.name().equals("ready")) {
                throw new IOException("the watch ended before it was in force");
            }
            return watch;
        } catch (IOException | RuntimeException e) {
            watch.close();
            throw e;
        }
    }

    /// The next event; null when the watch ended. An IOException means the connection broke and events may have been missed.
    public @Nullable FileEvent next() throws IOException {
        for (var event = event(); event != null; event = event()) {
            var data = event.data().getBytes(StandardCharsets.UTF_8);
            switch (event.name()) {
                case "file" -> {
                    return Api.decode(() -> Json.read(data, FileEvent.class));
                }
                case "problem" -> throw new RedomaApiException(Api.decode(() -> Json.read(data, Problem.class)));
                default -> {
                    // Later servers may tell more.
                }
            }
        }
        return null;
    }

    private record Event(String name, String data) {}

    private @Nullable Event event() throws IOException {
        var name = "message";
        var data = new StringBuilder();
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("event:")) {
                name = line.substring(6).strip();
            } else if (line.startsWith("data:")) {
                data.append(line.substring(5).strip());
            } else if (line.isEmpty() && (!data.isEmpty() || !name.equals("message"))) {
                return new Event(name, data.toString());
            }
        }
        return null;
    }

    @Override
    public void close() {
        answer.abort();
        answer.close();
    }
}
