// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.model.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/// docs/errors.md says of every error what the code says, and of no other.
class ErrorsPageTest {

    @Test
    void thePageListsEveryCodeWithItsStatusLayerAndRetry() throws IOException {
        var expected = Arrays.stream(Code.values())
                .map(c -> "| `" + c.wire() + "` | " + c.status() + " | " + c.layer().wire() + " | " + (c.retryable() ? "yes" : "no") + " |").toList();
        var listed = new ArrayList<String>();
        for (var line : Files.readAllLines(Path.of(System.getProperty("redoma.root"), "docs", "errors.md"))) {
            if (line.startsWith("| `")) {
                listed.add(String.join("|", Arrays.copyOf(line.split("\\|"), 5)) + "|");
            }
        }
        assertThat(listed).containsExactlyInAnyOrderElementsOf(expected);
    }
}
