// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Problem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The tools whose caches can be kept: where each lies, and the variables that point the tool there.
enum CacheTools {
    PIP("PIP_CACHE_DIR", ""),
    UV("UV_CACHE_DIR", ""),
    NPM("npm_config_cache", ""),
    YARN("YARN_CACHE_FOLDER", ""),
    PNPM("npm_config_store_dir", ""),
    CARGO("CARGO_HOME", ""),
    GO("GOMODCACHE", "/mod", "GOCACHE", "/build"),
    MAVEN("MAVEN_ARGS", ""),
    GRADLE("GRADLE_USER_HOME", "");

    private static final String ROOT = "/var/cache/redoma/";

    private final List<String> variables;

    /// Pairs of a variable and what follows the cache's path in it.
    CacheTools(String... variables) {
        this.variables = List.of(variables);
    }

    String wire() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    String path() {
        return ROOT + wire();
    }

    private Map<String, String> environment() {
        var out = new LinkedHashMap<String, String>();
        for (int i = 0; i < variables.size(); i += 2) {
            out.put(variables.get(i), this == MAVEN ? "-Dmaven.repo.local=" + path() : path() + variables.get(i + 1));
        }
        return out;
    }

    static CacheTools of(String field, @Nullable String wire) {
        for (var tool : values()) {
            if (tool.wire().equals(wire)) {
                return tool;
            }
        }
        var known = List.of(values()).stream().map(CacheTools::wire).toList();
        throw Problem.field(field, "'" + RequestRules.shown(String.valueOf(wire)) + "' is not known", "one of " + String.join(", ", known));
    }

    /// Of a request; each once.
    static List<CacheTools> of(@Nullable List<String> asked) {
        var all = new LinkedHashSet<CacheTools>();
        var names = asked == null ? List.<String>of() : asked;
        for (int i = 0; i < names.size(); i++) {
            all.add(of("caches[" + i + "]", names.get(i)));
        }
        return List.copyOf(all);
    }

    static Map<String, String> environment(List<CacheTools> tools) {
        var out = new LinkedHashMap<String, String>();
        tools.forEach(t -> out.putAll(t.environment()));
        return out;
    }

    static List<String> paths(List<CacheTools> tools) {
        return new ArrayList<>(tools.stream().map(CacheTools::path).toList());
    }
}
