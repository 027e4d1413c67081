// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.util.Collection;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.PropertyBindingException;

/// Says in our words what a JSON reader did not like: which field, where, and what is allowed.
final class JsonRefusal {
    private static final Pattern DUPLICATE = Pattern.compile("Duplicate Object property \"([^\"]{1,100})\".*", Pattern.DOTALL);

    private JsonRefusal() {}

    static RedomaException of(JacksonException refused, byte[] json) {
        if (refused.getCause() instanceof RedomaException ours) {
            return ours;
        }
        var where = where(refused, json);
        return switch (refused) {
            case PropertyBindingException unknown -> field(path(unknown), "is not known" + where, known(unknown.getKnownPropertyIds()));
            case InputCoercionException number -> field(path(number), "is out of range" + where, "a number nearer to zero");
            case StreamReadException syntax -> syntax(syntax, where);
            case MismatchedInputException trailing when trailing.getOriginalMessage().startsWith("Trailing token") -> malformed("something follows it", where);
            case MismatchedInputException mismatch -> field(path(mismatch), "is not of the right type" + where, expected(mismatch.getTargetType()));
            default -> field(path(refused), "cannot be taken" + where, "another value");
        };
    }

    private static RedomaException syntax(StreamReadException refused, String where) {
        var message = refused.getOriginalMessage();
        var doubled = DUPLICATE.matcher(message);
        return doubled.matches()
                ? field(doubled.group(1), "is there twice" + where, "it once")
                : malformed(message.lines().findFirst().orElse("").replaceFirst(" \\(start marker.*", ""), where);
    }

    private static RedomaException malformed(String why, String where) {
        return Problem.of(Code.BAD_REQUEST, "The body is not a JSON document" + where + ": " + why.substring(0, Math.min(200, why.length())),
                        "Send one JSON document in UTF-8.")
                .raise();
    }

    private static RedomaException field(String field, String whyAndWhere, String allowed) {
        return Problem.field(field.isEmpty() ? "body" : field, whyAndWhere, allowed);
    }

    private static String where(JacksonException refused, byte[] json) {
        long at = refused.getPath().isEmpty() ? refused.getLocation() == null ? -1 : refused.getLocation().getByteOffset() : JsonPlace.of(json, pointer(refused));
        return at < 0 ? "" : JsonPlace.words(json, at);
    }

    private static String pointer(JacksonException refused) {
        return refused.getPath().stream()
                .map(step -> "/" + (step.getPropertyName() == null ? "" + step.getIndex() : step.getPropertyName().replace("~", "~0").replace("/", "~1")))
                .collect(Collectors.joining());
    }

    private static String path(JacksonException refused) {
        return refused.getPath().stream()
                .map(step -> step.getPropertyName() == null ? "[" + step.getIndex() + "]" : "." + step.getPropertyName())
                .collect(Collectors.joining())
                .replaceFirst("^\\.", "");
    }

    private static String known(@Nullable Collection<Object> names) {
        return names == null || names.isEmpty() ? "no such field" : "only " + names.stream().map(String::valueOf).sorted().collect(Collectors.joining(", "));
    }

    private static String expected(@Nullable Class<?> type) {
        if (type == null) {
            return "another value";
        }
        if (Number.class.isAssignableFrom(type) || type.isPrimitive() && type != boolean.class) {
            return type == Double.class || type == double.class ? "a number" : "a whole number";
        }
        if (Collection.class.isAssignableFrom(type)) {
            return "an array";
        }
        if (Map.class.isAssignableFrom(type) || type.isRecord()) {
            return "an object";
        }
        return type == Boolean.class || type == boolean.class ? "true or false" : "a string";
    }
}
