// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.FileEvent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonTest {

    private static RedomaException refused(String json, Class<?> type) {
        return catchThrowableOfType(RedomaException.class, () -> Json.read(json.getBytes(StandardCharsets.UTF_8), type));
    }

    @Test
    void anUnknownFieldIsNamedWithItsPlace() {
        var e = refused("{\"limits\":{\"cpus\":2}}", CreateSandbox.class);
        assertThat(e.code()).isEqualTo(Code.INVALID_FIELD);
        assertThat(e.problem().details()).containsEntry("field", "limits.cpus");
        assertThat(e.problem().message()).contains("line 1, column 12");
        assertThat(e.problem().remedy()).contains("cpu, ", "memoryBytes");
    }

    @Test
    void aDoubledFieldIsRefused() {
        var e = refused("{\"name\":\"a\",\"name\":\"b\"}", CreateSandbox.class);
        assertThat(e.problem().details()).containsEntry("field", "name");
    }

    @Test
    void aWrongTypeIsNamed() {
        assertThat(refused("{\"limits\":{\"pids\":\"5\"}}", CreateSandbox.class).problem().details())
                .containsEntry("field", "limits.pids").containsEntry("allowed", "a whole number");
        assertThat(refused("{\"limits\":{\"pids\":1.5}}", CreateSandbox.class).problem().details()).containsEntry("field", "limits.pids");
        assertThat(refused("{\"name\":5}", CreateSandbox.class).problem().details()).containsEntry("field", "name");
        assertThat(refused("{\"argv\":\"ls\"}", ExecSpec.class).problem().details()).containsEntry("allowed", "an array");
        assertThat(refused("[]", ExecSpec.class).code()).isEqualTo(Code.INVALID_FIELD);
    }

    @Test
    void aNumberThatIsTooLargeIsNamed() {
        for (var number : List.of("99999999999999999999", "-99999999999999999999", "9".repeat(900))) {
            var e = refused("{\"limits\":{\"memoryBytes\":" + number + "}}", CreateSandbox.class);
            assertThat(e.code()).isEqualTo(Code.INVALID_FIELD);
            assertThat(e.problem().details()).containsEntry("field", "limits.memoryBytes");
        }
    }

    @Test
    void aMissingPartIsNamed() {
        assertThat(refused("{}", ExecSpec.class).problem().details()).containsEntry("field", "argv");
        assertThat(refused("{\"argv\":[\"a\",null]}", ExecSpec.class).problem().details()).containsEntry("field", "argv[1]");
        assertThat(refused("{\"env\":{\"A\":null}}", CreateSandbox.class).problem().details()).containsEntry("field", "env.A");
    }

    @Test
    void whatIsNotJsonIsABadRequest() {
        assertThat(refused("{\"argv\":[", ExecSpec.class).code()).isEqualTo(Code.BAD_REQUEST);
        assertThat(refused("", ExecSpec.class).code()).isEqualTo(Code.BAD_REQUEST);
        assertThat(refused("null", ExecSpec.class).code()).isEqualTo(Code.BAD_REQUEST);
        assertThat(refused("{\"argv\":[]} x", ExecSpec.class).code()).isEqualTo(Code.BAD_REQUEST);
        assertThat(refused("{\"argv\":[]} {", ExecSpec.class).code()).isEqualTo(Code.BAD_REQUEST);
        assertThat(refused("[".repeat(100_000), ExecSpec.class).code()).isEqualTo(Code.INVALID_FIELD);
    }

    @Test
    void nullsAreLeftOut() {
        assertThat(Json.text(new FileEvent("create", "a", null, false))).isEqualTo("{\"kind\":\"create\",\"path\":\"a\",\"directory\":false}");
        assertThat(Json.text(java.util.Map.of("at", java.time.Instant.EPOCH))).isEqualTo("{\"at\":\"1970-01-01T00:00:00Z\"}");
    }
}
