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
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.PropertyBindingException;

/// Says in our words what a JSON reader did not like: which field, where, and what is allowed.
final class JsonRefusal {
    private static final Pattern DUPLICATE = Pattern.compile("Duplicate Object property \"([^\"]{1,100})\".*", Pattern.DOTALL);

    private JsonRefusal() {}

    static RedomaException of(JacksonException refused) {
        if (refused.getCause() instanceof RedomaException ours) {
            return ours;
        }
        return switch (refused) {
            case PropertyBindingException unknown -> field(path(unknown), "is not known", known(unknown.getKnownPropertyIds()), unknown);
            case StreamReadException syntax -> syntax(syntax);
            case MismatchedInputException mismatch when mismatch.getPath().isEmpty() && mismatch.getTargetType() == null -> malformed(mismatch);
            case MismatchedInputException mismatch -> field(path(mismatch), "is not of the right type", expected(mismatch.getTargetType()), mismatch);
            default -> field(path(refused), "cannot be taken", "another value", refused);
        };
    }

    private static RedomaException syntax(StreamReadException refused) {
        var doubled = DUPLICATE.matcher(refused.getOriginalMessage());
        return doubled.matches() ? field(doubled.group(1), "is there twice", "it once", refused) : malformed(refused);
    }

    private static RedomaException malformed(JacksonException refused) {
        var message = refused.getOriginalMessage();
        return Problem.of(Code.BAD_REQUEST, "The body is not JSON: " + message.substring(0, Math.min(200, message.length())) + where(refused),
                        "Send one JSON document in UTF-8.")
                .raise();
    }

    private static RedomaException field(String field, String why, String allowed, JacksonException refused) {
        return Problem.field(field.isEmpty() ? "body" : field, why + where(refused), allowed);
    }

    private static String where(JacksonException refused) {
        var at = refused.getLocation();
        return at == null || at.getLineNr() < 1 ? "" : " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")";
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
