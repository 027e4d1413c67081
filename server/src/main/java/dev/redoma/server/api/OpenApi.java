// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Schemas.ordered;

import dev.redoma.http.Problems;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The OpenAPI 3.1 document, made of the operations themselves.
final class OpenApi {
    private static final Pattern IN_PATH = Pattern.compile("\\{([a-z]+)}");

    private final Schemas schemas = new Schemas();

    private OpenApi() {}

    static Map<String, Object> of(List<Operation> operations, String version) {
        return new OpenApi().document(operations, version);
    }

    private Map<String, Object> document(List<Operation> operations, String version) {
        var paths = new LinkedHashMap<String, Map<String, Object>>();
        for (var operation : operations) {
            paths.computeIfAbsent(operation.path(), p -> new LinkedHashMap<>()).put(operation.method().toLowerCase(Locale.ROOT), describe(operation));
        }
        var bearer = ordered("bearer", ordered("type", "http", "scheme", "bearer"), "apiKey", ordered("type", "apiKey", "in", "header", "name", "X-API-Key"));
        schemas.of(dev.redoma.model.wire.Problem.class);
        return ordered("openapi", "3.1.0",
                "info", ordered("title", "Redoma", "version", version, "license", ordered("name", "Apache-2.0", "identifier", "Apache-2.0")),
                "security", List.of(ordered("bearer", List.of()), ordered("apiKey", List.of())),
                "paths", paths,
                "components", ordered("securitySchemes", bearer, "schemas", schemas.all()));
    }

    private Map<String, Object> describe(Operation operation) {
        var told = ordered("operationId", operation.id(), "summary", operation.summary());
        if (operation.open()) {
            told.put("security", List.of());
        }
        if (operation.scope() != null) {
            told.put("x-redoma-scope", operation.scope().name().toLowerCase(Locale.ROOT));
        }
        var parameters = parameters(operation);
        if (!parameters.isEmpty()) {
            told.put("parameters", parameters);
        }
        if (!operation.takes().isEmpty()) {
            var content = new LinkedHashMap<String, Object>();
            operation.takes().forEach(c -> content.put(c.mediaType(), ordered("schema", c.type() == null ? Map.<String, Object>of() : schemas.of(c.type()))));
            told.put("requestBody", ordered("required", true, "content", content));
        }
        told.put("responses", responses(operation));
        return told;
    }

    private List<Object> parameters(Operation operation) {
        var all = new ArrayList<Object>();
        var inPath = IN_PATH.matcher(operation.path());
        while (inPath.find()) {
            all.add(ordered("name", inPath.group(1), "in", "path", "required", true, "schema", ordered("type", "string")));
        }
        for (var p : operation.parameters()) {
            var schema = p.many() ? ordered("type", "array", "items", ordered("type", p.type())) : ordered("type", p.type());
            all.add(ordered("name", p.name(), "in", p.in(), "description", p.about(), "required", p.required(), "schema", schema));
        }
        return all;
    }

    private Map<String, Object> responses(Operation operation) {
        var contents = new TreeMap<Integer, Map<String, Object>>();
        for (var answer : operation.answers()) {
            var content = contents.computeIfAbsent(answer.status(), s -> new LinkedHashMap<>());
            answer.mediaTypes().forEach(media -> content.put(media, ordered("schema", schema(answer))));
        }
        var responses = new LinkedHashMap<String, Object>();
        contents.forEach((status, content) -> responses.put(status.toString(),
                content.isEmpty() ? ordered("description", "Done") : ordered("description", "Answer", "content", content)));
        responses.put("default", ordered("description", "A problem",
                "content", ordered(Problems.MEDIA_TYPE, ordered("schema", ordered("$ref", "#/components/schemas/Problem")))));
        return responses;
    }

    private Map<String, Object> schema(Operation.Answer answer) {
        if (answer.type() == null) {
            return Map.of();
        }
        return switch (answer.form()) {
            case ONE -> schemas.of(answer.type());
            case ITEMS -> ordered("type", "object", "properties", ordered("items", schemas.arrayOf(answer.type())), "required", List.of("items"));
            case PAGE -> ordered("type", "object",
                    "properties", ordered("items", schemas.arrayOf(answer.type()), "next", ordered("type", "string")), "required", List.of("items"));
            case NONE, BYTES -> Map.of();
        };
    }
}
