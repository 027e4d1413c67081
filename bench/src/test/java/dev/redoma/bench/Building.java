// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;

/// Builds of a test, driven over the wire.
final class Building {
    private static final Set<String> ENDED = Set.of("ready", "failed", "cancelled");

    private Building() {}

    /// Builds from the text of a recipe (`more`: fields of the request) and waits for the end.
    static JsonNode of(Api api, String name, String recipe, Object... more) {
        return ended(api, api.post("/v1/templates/" + name + "/builds", body(recipe, more)).expect(202).json());
    }

    static Map<String, Object> body(String recipe, Object... more) {
        var body = new HashMap<String, Object>(Map.of("recipe", recipe));
        for (int i = 0; i < more.length; i += 2) {
            body.put((String) more[i], more[i + 1]);
        }
        return body;
    }

    static JsonNode ended(Api api, JsonNode begun) {
        var path = "/v1/builds/" + begun.get("id").asString();
        log(api, begun);
        return Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> api.get(path).expect(200).json(), b -> ENDED.contains(b.get("state").asString()));
    }

    /// To its end.
    static String log(Api api, JsonNode build) {
        return api.get("/v1/builds/" + build.get("id").asString() + "/log").expect(200).text();
    }
}
