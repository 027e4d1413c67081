// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.model.Scope;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One operation of the API: everything that the router, the edge and OpenAPI need to know about it. `scope` null: any key;
/// `open`: no key at all.
public record Operation(
        String method,
        String path,
        String id,
        String summary,
        @Nullable Scope scope,
        boolean open,
        List<Parameter> parameters,
        List<Content> takes,
        List<Answer> answers,
        Action action) {

    /// What runs. It answers on `call.http()`.
    @FunctionalInterface
    public interface Action {
        void run(Call call) throws Exception;
    }

    /// A parameter beside those of the path. `in`: `query` or `header`; `type` as in JSON Schema; `many`: may repeat.
    record Parameter(String in, String name, String type, String about, boolean required, boolean many) {}

    /// A body: a record as JSON, or bytes of some media type.
    record Content(String mediaType, @Nullable Class<?> type) {}

    /// One way it answers. `form`: how `type` is wrapped.
    record Answer(int status, List<String> mediaTypes, @Nullable Class<?> type, Form form) {}

    enum Form { ONE, ITEMS, PAGE, NONE, BYTES }

    static Operation of(String method, String path, String id, String summary) {
        return new Operation(method, path, id, summary, null, false, List.of(), List.of(), List.of(), call -> {
            throw new IllegalStateException("no action for " + id);
        });
    }

    static Operation get(String path, String id, String summary) {
        return of("GET", path, id, summary);
    }

    static Operation post(String path, String id, String summary) {
        return of("POST", path, id, summary);
    }

    static Operation put(String path, String id, String summary) {
        return of("PUT", path, id, summary);
    }

    static Operation delete(String path, String id, String summary) {
        return of("DELETE", path, id, summary);
    }

    Operation needs(Scope needed) {
        return new Operation(method, path, id, summary, needed, open, parameters, takes, answers, action);
    }

    Operation withoutKey() {
        return new Operation(method, path, id, summary, scope, true, parameters, takes, answers, action);
    }

    Operation query(String name, String type, String about) {
        return parameter(new Parameter("query", name, type, about, false, false));
    }

    Operation queries(String name, String type, String about) {
        return parameter(new Parameter("query", name, type, about, false, true));
    }

    Operation need(String name, String type, String about) {
        return parameter(new Parameter("query", name, type, about, true, false));
    }

    Operation header(String name, String about) {
        return parameter(new Parameter("header", name, "string", about, false, false));
    }

    private Operation parameter(Parameter more) {
        return new Operation(method, path, id, summary, scope, open, plus(parameters, more), takes, answers, action);
    }

    Operation takes(Class<?> json) {
        return new Operation(method, path, id, summary, scope, open, parameters, plus(takes, new Content("application/json", json)), answers, action);
    }

    Operation takes(String mediaType) {
        return new Operation(method, path, id, summary, scope, open, parameters, plus(takes, new Content(mediaType, null)), answers, action);
    }

    Operation answers(int status, Class<?> type) {
        return answer(new Answer(status, List.of("application/json"), type, Form.ONE));
    }

    Operation answersItems(Class<?> type) {
        return answer(new Answer(200, List.of("application/json"), type, Form.ITEMS));
    }

    Operation answersPage(Class<?> type) {
        return answer(new Answer(200, List.of("application/json"), type, Form.PAGE));
    }

    Operation answersNothing() {
        return answer(new Answer(204, List.of(), null, Form.NONE));
    }

    Operation answersBytes(int status, String... mediaTypes) {
        return answer(new Answer(status, List.of(mediaTypes), null, Form.BYTES));
    }

    private Operation answer(Answer more) {
        return new Operation(method, path, id, summary, scope, open, parameters, takes, plus(answers, more), action);
    }

    Operation by(Action does) {
        return new Operation(method, path, id, summary, scope, open, parameters, takes, answers, does);
    }

    private static <T> List<T> plus(List<T> list, T more) {
        var all = new ArrayList<>(list);
        all.add(more);
        return List.copyOf(all);
    }
}
