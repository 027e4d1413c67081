// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.Problem;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.TemplateRef;
import dev.redoma.model.wire.Isolation;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Sandbox sandbox() {
        return new Sandbox("sbabcdefghijklmnopqr", "dev", "default", "running", null, new TemplateRef("base", "sha256:00"), Map.of("a", "ü☕\"\n"),
                new Isolation("container", "shared", "crun", "1.8.1", List.of("x")), "sudo", "none", "creator", "kill",
                new Limits(1.5, 1L << 40, null, 512L, null, null, null, 3600000L, null), Instant.parse("2026-01-02T03:04:05.678901Z"), null, null, null,
                1, true, null, null, "ky", List.of(new dev.redoma.model.wire.Mount("vlabcdefghijklmnopqr", "data", "/data", true, null)), null);
    }

    @Test
    void aRecordSurvivesTheRoundTrip() {
        assertThat(Json.read(utf8(Json.write(sandbox())), Sandbox.class)).isEqualTo(sandbox());
        assertThat(Json.read(utf8(Json.pretty(sandbox())), Sandbox.class)).isEqualTo(sandbox());
    }

    @Test
    void aPageKnowsTheTypeOfItsItems() {
        var page = new Page<>(List.of(sandbox()), "c");
        Page<Sandbox> read = Json.read(utf8(Json.write(page)), Page.class, Sandbox.class);
        assertThat(read).isEqualTo(page);
    }

    @Test
    void aNullComponentIsLeftOut() {
        assertThat(Json.write(new Limits(null, 5L, null, null, null, null, null, null, null))).isEqualTo("{\"memoryBytes\":5}");
    }

    @Test
    void unknownFieldsArePassedOver() {
        assertThat(Json.read(utf8("{\"name\":\"n\",\"digest\":\"d\",\"later\":[{}]}"), TemplateRef.class)).isEqualTo(new TemplateRef("n", "d"));
    }

    @Test
    void aFieldOfAnotherTypeIsNamed() {
        assertThatThrownBy(() -> Json.read(utf8("{\"name\":5,\"digest\":\"d\"}"), TemplateRef.class))
                .isInstanceOf(JsonException.class).hasMessageContaining("TemplateRef.name").hasMessageContaining("string");
        assertThatThrownBy(() -> Json.read(utf8("{\"memoryBytes\":1.5}"), Limits.class)).hasMessageContaining("Limits.memoryBytes");
        assertThatThrownBy(() -> Json.read(utf8("{\"pids\":\"7\"}"), Limits.class)).hasMessageContaining("Limits.pids");
    }

    @Test
    void anAbsentNumberThatMustBeThereIsAnError() {
        assertThatThrownBy(() -> Json.read(utf8("{\"id\":\"x\"}"), Exec.class)).isInstanceOf(JsonException.class);
    }

    @Test
    void malformedTextIsRefused() {
        for (var text : List.of("", "{", "[1,]", "{\"a\":1,}", "{\"a\":1 \"b\":2}", "01", "1.", "+1", "\"a", "\"\\x\"", "nul", "[1] 2", "{\"a\":1,\"a\":2}",
                "\"\u0001\"", "'a'", "NaN")) {
            assertThatThrownBy(() -> Json.parse(text)).as(text).isInstanceOf(JsonException.class);
        }
        assertThatThrownBy(() -> Json.parse(new byte[] {'"', (byte) 0xff, '"'})).isInstanceOf(JsonException.class);
    }

    @Test
    void depthIsBounded() {
        assertThatThrownBy(() -> Json.parse("[".repeat(100_000))).isInstanceOf(JsonException.class).hasMessageContaining("64 levels");
    }

    @Test
    void numbersKeepTheirKind() {
        assertThat(Json.parse("[0,-1,9223372036854775807,1.5,1e3,99999999999999999999]"))
                .isEqualTo(List.of(0L, -1L, Long.MAX_VALUE, 1.5, 1000.0, 1e20));
    }

    @Test
    void escapesAreRead() {
        assertThat(Json.parse("\"\\u00fc\\ud83d\\ude00\\n\\/\"")).isEqualTo("ü😀\n/");
    }

    @Test
    void aProblemsDetailsAreKept() {
        var text = "{\"type\":\"urn:x\",\"title\":\"t\",\"status\":429,\"detail\":\"d\",\"code\":\"quota-exceeded\",\"layer\":\"policy\","
                + "\"retryable\":true,\"details\":{\"limit\":8,\"inUse\":8}}";
        assertThat(Json.read(utf8(text), Problem.class).details()).isEqualTo(Map.of("limit", 8L, "inUse", 8L));
    }
}
