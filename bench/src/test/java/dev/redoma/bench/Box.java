// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/// A sandbox of a test, driven over the wire. Closing kills it.
final class Box implements AutoCloseable {
    static final String FRAMES = "application/vnd.redoma.output";

    private final Api api;
    private final JsonNode created;

    Box(Api api, JsonNode created) {
        this.api = api;
        this.created = created;
    }

    static Box create(Api api, Map<String, ?> request) {
        return new Box(api, api.post("/v1/sandboxes", request).expect(201).json());
    }

    String id() {
        return created.get("id").asString();
    }

    JsonNode created() {
        return created;
    }

    Api api() {
        return api;
    }

    Box as(Api other) {
        return new Box(other, created);
    }

    String path(String rest) {
        return "/v1/sandboxes/" + id() + rest;
    }

    JsonNode show() {
        return api.get(path("")).expect(200).json();
    }

    String state() {
        return show().get("state").asString();
    }

    JsonNode verb(String verb) {
        return api.post(path("/" + verb), Map.of()).expect(200).json();
    }

    /// What to run and how; the rest is the server's default.
    static Map<String, Object> spec(List<String> argv, Object... more) {
        var spec = new HashMap<String, Object>();
        spec.put("argv", argv);
        for (int i = 0; i < more.length; i += 2) {
            spec.put((String) more[i], more[i + 1]);
        }
        return spec;
    }

    static List<String> shell(String script) {
        return List.of("sh", "-c", script);
    }

    Api.Output sh(String script, Object... more) {
        return run(shell(script), more);
    }

    Api.Output run(List<String> argv, Object... more) {
        var answer = api.open(api.json(path("/execs"), spec(argv, more)).header("Accept", FRAMES).build());
        try (var body = answer.body()) {
            if (answer.statusCode() != 201 && answer.statusCode() != 200) {
                throw new AssertionError(answer.statusCode() + ": " + new String(body.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8));
            }
            return Api.readFrames(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Starts in the background; the exec's id.
    String start(List<String> argv, Object... more) {
        return api.post(path("/execs"), spec(argv, more)).expect(201).json().get("id").asString();
    }

    Api.Answer tryStart(List<String> argv, Object... more) {
        return api.post(path("/execs"), spec(argv, more));
    }

    JsonNode exec(String exec) {
        return api.get(path("/execs/" + exec)).expect(200).json();
    }

    JsonNode await(String exec, long ms) {
        return api.get(path("/execs/" + exec + "?waitMs=" + ms)).expect(200).json();
    }

    Api.Output output(String exec, long offset, boolean follow, boolean untilClosed) {
        var answer = api.open(api.request(path("/execs/" + exec + "/output" + Api.query(Map.of("offset", offset, "follow", follow, "untilClosed", untilClosed))))
                .header("Accept", FRAMES).GET().build());
        try (var body = answer.body()) {
            if (answer.statusCode() != 200) {
                throw new AssertionError(answer.statusCode() + ": " + new String(body.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8));
            }
            return Api.readFrames(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean killExec(String exec) {
        return api.delete(path("/execs/" + exec)).expect(200).json().get("killed").asBoolean();
    }

    void stdin(String exec, byte[] data, boolean close) {
        api.send(api.request(path("/execs/" + exec + "/stdin?close=" + close)).header("Content-Type", "application/octet-stream")
                .POST(BodyPublishers.ofByteArray(data)).build()).expect(204);
    }

    Api.Answer tryWrite(String file, byte[] data, Object... more) {
        return api.put(path("/files" + Api.query(parameters(file, more))), data, "application/octet-stream");
    }

    JsonNode write(String file, byte[] data, Object... more) {
        return tryWrite(file, data, more).expect(200).json();
    }

    Api.Answer tryRead(String file) {
        return api.get(path("/files" + Api.query(Map.of("path", file))));
    }

    byte[] read(String file) {
        return tryRead(file).expect(200).bytes();
    }

    JsonNode stat(String file) {
        return api.get(path("/files/stat" + Api.query(Map.of("path", file)))).expect(200).json();
    }

    List<String> names(String dir) {
        var names = new ArrayList<String>();
        api.get(path("/files/list" + Api.query(Map.of("path", dir)))).expect(200).json().get("items").forEach(f -> names.add(f.get("path").asString()));
        return names;
    }

    private static Map<String, Object> parameters(String file, Object... more) {
        var parameters = new HashMap<String, Object>();
        parameters.put("path", file);
        for (int i = 0; i < more.length; i += 2) {
            parameters.put((String) more[i], more[i + 1]);
        }
        return parameters;
    }

    @Override
    public void close() {
        var answer = api.delete(path(""));
        if (answer.status() != 200 && answer.status() != 404) {
            throw new AssertionError("kill failed: " + answer.status() + " " + answer.text());
        }
    }
}
