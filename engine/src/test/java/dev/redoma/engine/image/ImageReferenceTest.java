// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.RedomaException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImageReferenceTest {
    private static final String DIGEST = "sha256:" + "ab".repeat(32);

    @Test
    void aReferenceIsReadAsItsParts() {
        assertThat(ImageReference.parse("debian")).isEqualTo(new ImageReference(null, "debian", null, null));
        assertThat(ImageReference.parse("debian:12")).isEqualTo(new ImageReference(null, "debian", "12", null));
        assertThat(ImageReference.parse("a/b_c/d.e:V1")).isEqualTo(new ImageReference(null, "a/b_c/d.e", "V1", null));
        assertThat(ImageReference.parse("localhost/a")).isEqualTo(new ImageReference("localhost", "a", null, null));
        assertThat(ImageReference.parse("r.example:5000/a/b:c@" + DIGEST)).isEqualTo(new ImageReference("r.example:5000", "a/b", "c", new Digest(DIGEST)));
        assertThat(ImageReference.parse("[::1]:5000/a")).isEqualTo(new ImageReference("[::1]:5000", "a", null, null));
        assertThat(ImageReference.parse("host:5000/a@" + DIGEST).toString()).isEqualTo("host:5000/a@" + DIGEST);
        assertThat(ImageReference.parse("r.example/a/b-c").lastPart()).isEqualTo("b-c");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Debian", "a//b", "/a", "a/", "a:", "a:b:c", "a@sha256:12", "a@md5:ab", "a b", "a\nb", "../a", "a/../b", "a?b", "r.example:99999999/a", "r.example:/a",
        "-r.example/a", "user@r.example/a", "https://r.example/a", "a:-b", "r..example/a"})
    void whatIsNoneIsRefused(String text) {
        assertThatThrownBy(() -> ImageReference.parse(text)).isInstanceOf(RedomaException.class).hasMessageContaining("image");
    }

    @Test
    void challengesAreReadWithTheirQuotesAndCommas() {
        assertThat(Challenge.parse(List.of("Bearer realm=\"https://x/t\",service=\"a, \\\"b\\\"\",scope=x, Basic realm=\"y\"", "Negotiate"))).containsExactly(
                new Challenge("bearer", Map.of("realm", "https://x/t", "service", "a, \"b\"", "scope", "x")), new Challenge("basic", Map.of("realm", "y")), new Challenge("negotiate", Map.of()));
        assertThat(Challenge.parse(List.of("", "=", "\"", "x".repeat(10_000)))).isEmpty();
    }

    @Test
    void locationsAreTakenAbsoluteAndRelativeAndNothingElse() {
        var base = Location.parse("https://r.example/v2/a/");
        assertThat(base.origin()).isEqualTo(new Outgoing.Origin(true, "r.example", 443));
        assertThat(Location.parse(base, "/b?x=1").target()).isEqualTo("/b?x=1");
        assertThat(Location.parse(base, "c").target()).isEqualTo("/v2/a/c");
        assertThat(Location.parse(base, "//other.example/d").origin().host()).isEqualTo("other.example");
        assertThat(Location.parse("http://[::1]:5000").origin()).isEqualTo(new Outgoing.Origin(false, "::1", 5000));
        for (var text : List.of("ftp://x/y", "file:///etc", "https://u:p@x/", "https://", "http://a b/", "x:y")) {
            assertThatThrownBy(() -> Location.parse(base, text)).as(text).isInstanceOf(RedomaException.class);
        }
    }
}
