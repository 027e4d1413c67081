// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MultipartTest {
    private static final String THREE = part("a", "one") + part("b", "") + part("c", "x".repeat(200_000)) + "--cut--\r\n";

    private static String part(String name, String content) {
        return "--cut\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + content + "\r\n";
    }

    private static List<String> seen(String body, boolean reading) throws Exception {
        var seen = new ArrayList<String>();
        try (var s = new Served(new Route("POST", "/form", http -> {
            var parts = Multipart.of(http, 1 << 20);
            for (var part = parts.next(); part != null; part = parts.next()) {
                seen.add(part.name() + (reading ? " " + new String(part.content().readAllBytes(), StandardCharsets.UTF_8).length() : ""));
            }
            http.nothing();
        }))) {
            var request = s.request("/form").header("Content-Type", "multipart/form-data; boundary=cut").POST(BodyPublishers.ofString(body)).build();
            assertThat(s.client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(204);
        }
        return seen;
    }

    @Test
    void everyPartComesWhenThoseBeforeAreReadToTheirEnd() throws Exception {
        assertThat(seen(THREE, true)).containsExactly("a 3", "b 0", "c 200000");
    }

    @Test
    void everyPartComesWhenNothingIsRead() throws Exception {
        assertThat(seen(THREE, false)).containsExactly("a", "b", "c");
    }

    @Test
    void whatStandsBeforeTheFirstPartIsPassedOver() throws Exception {
        assertThat(seen("not a part\r\n" + THREE, true)).containsExactly("a 3", "b 0", "c 200000");
        assertThat(seen("--cut--", true)).isEmpty();
    }
}
