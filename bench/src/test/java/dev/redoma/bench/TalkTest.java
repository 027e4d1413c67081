// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// What benches say and hear: nothing that did not come is counted.
class TalkTest {
    private static Talk hearing(String words, ByteArrayOutputStream said) {
        return new Talk(new ByteArrayInputStream(words.getBytes(StandardCharsets.ISO_8859_1)), said);
    }

    @Test
    void anAnswerThatIsShortOrNo200OrOfUnknownLengthIsNoMeasurement() throws IOException {
        var said = new ByteArrayOutputStream();
        assertThat(hearing("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", said).get("h", "/3")).isEqualTo(3);
        assertThat(said.toString(StandardCharsets.ISO_8859_1)).isEqualTo("GET /3 HTTP/1.1\r\nHost: h\r\n\r\n");
        for (var bad : new String[] {"", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc", "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent"}) {
            assertThatThrownBy(() -> hearing(bad, new ByteArrayOutputStream()).get("h", "/3")).as(bad).isInstanceOf(IOException.class);
        }
    }

    @Test
    void theServerAnswersUntilItsClientHasEnough() throws IOException {
        var said = new ByteArrayOutputStream();
        hearing("GET /2 HTTP/1.1\r\nHost: h\r\n\r\nPUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /1 HTTP/1.1\r\nConnection: close\r\n\r\nmore", said).serve();
        assertThat(said.toString(StandardCharsets.ISO_8859_1)).isEqualTo("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\0\0HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\n\0");
    }
}
