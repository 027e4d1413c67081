// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Finds the route of a request. Immutable after construction. A literal segment wins over a parameter; one trailing slash is of no
/// consequence; HEAD is served by GET.
public final class Router {
    private final Node root = new Node();
    private final String hint;

    /// `hint` is said about an unknown route: what this server does serve.
    public Router(List<Route> routes, String hint) {
        this.hint = hint;
        routes.forEach(this::add);
    }

    private void add(Route route) {
        var node = root;
        for (var segment : route.segments()) {
            node = node.child(segment);
        }
        if (node.routes.put(route.method(), route) != null) {
            throw new IllegalArgumentException("two routes for " + route.method() + " " + route.pattern());
        }
    }

    Match match(String method, List<String> segments) {
        var node = root.find(segments, 0);
        if (node == null) {
            throw Problem.of(Code.ROUTE_NOT_FOUND, "There is no such route.", hint).raise();
        }
        var route = node.routes.get(method.equals("HEAD") && !node.routes.containsKey("HEAD") ? "GET" : method);
        if (route == null) {
            var allowed = String.join(", ", node.routes.keySet());
            throw Problem.of(Code.METHOD_NOT_ALLOWED, method + " is not offered here.", "Use " + allowed + ".").with("allow", allowed).raise();
        }
        return new Match(route, parameters(route, segments));
    }

    private static Map<String, String> parameters(Route route, List<String> segments) {
        var found = new LinkedHashMap<String, String>();
        var names = route.segments();
        for (int i = 0; i < names.size(); i++) {
            if (isParameter(names.get(i))) {
                found.put(names.get(i).substring(1, names.get(i).length() - 1), segments.get(i));
            }
        }
        return found;
    }

    static List<String> split(String path) {
        var segments = new ArrayList<String>();
        for (var segment : path.substring(path.startsWith("/") ? 1 : 0).split("/", -1)) {
            segments.add(segment);
        }
        if (segments.getLast().isEmpty()) {
            segments.removeLast();
        }
        return segments;
    }

    private static boolean isParameter(String segment) {
        return segment.startsWith("{");
    }

    record Match(Route route, Map<String, String> parameters) {}

    private static final class Node {
        final Map<String, Node> literals = new HashMap<>();
        final Map<String, Route> routes = new TreeMap<>();
        @Nullable Node parameter;

        Node child(String segment) {
            if (!isParameter(segment)) {
                return literals.computeIfAbsent(segment, s -> new Node());
            }
            var present = parameter;
            if (present == null) {
                parameter = present = new Node();
            }
            return present;
        }

        @Nullable Node find(List<String> segments, int at) {
            if (at == segments.size()) {
                return routes.isEmpty() ? null : this;
            }
            var literal = literals.get(segments.get(at));
            var found = literal == null ? null : literal.find(segments, at + 1);
            return found != null || parameter == null ? found : parameter.find(segments, at + 1);
        }
    }
}
