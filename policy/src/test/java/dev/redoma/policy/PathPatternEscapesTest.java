// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What escapes in paths stand for.
class PathPatternEscapesTest {
    @ParameterizedTest
    @ValueSource(strings = {"/a/%c0%ae%c0%ae/b", "/a/%c0%af/b", "/a/%e0%80%ae/b", "/a/%ff", "/a/%c3", "/a/%ed%a0%80", "/a/%ef%bc%8e%ef%bc%8e/b", "/a/%ef%bc%8fb", "/a/%e2%80%a5/b", "/a/.%09./b", "/a%0d%0ab", "/a/%7f", "/a/%c2%85",
        "/a/%E2%80%8b", "/a/%ef%bc%85", "/a/%ef%b9%94b", "/a/%2", "/a/%zz", "/a/%252e"})
    void whatCouldBeReadInTwoWaysIs(String path) {
        assertThat(PathPattern.ambiguous(path)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a/b%20c", "/caf%C3%A9", "/a/%e6%97%a5%e6%9c%ac", "/a/%F0%9F%98%80", "/a/%40scope%3apkg", "/a/b.c..d", "/a/%c2%bd", "/a/%ef%ac%81le", "/x%2Cy"})
    void whatCannotIsNot(String path) {
        assertThat(PathPattern.ambiguous(path)).isFalse();
        assertThat(new PathPattern("/**").matches(path)).isTrue();
    }
}
