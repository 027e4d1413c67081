// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.recipe;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The exec form: a JSON list of strings. What is none is a line for the shell, as Docker has it.
final class JsonWords {
    private static final JsonMapper JSON = JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    private JsonWords() {}

    static Optional<List<String>> parse(String text) {
        if (!text.stripLeading().startsWith("[")) {
            return Optional.empty();
        }
        JsonNode tree;
        try {
            tree = JSON.readTree(text);
        } catch (JacksonException noJson) {
            return Optional.empty();
        }
        var words = new ArrayList<String>();
        for (var word : tree) {
            if (!word.isString()) {
                return Optional.empty();
            }
            words.add(word.asString());
        }
        return tree.isArray() ? Optional.of(List.copyOf(words)) : Optional.empty();
    }
}
