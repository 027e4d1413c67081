// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathsTest {
    @ParameterizedTest
    @CsvSource({"/a//b/./c/, /a/b/c", "/a/../b, /b", "/../../x, /x", "a/../b, b", "../a, ../a", "/, /", "'', /", "a/.., /", "/ü/\0x, /ü/\0x", "./a, a"})
    void dotsAndDoubledSlashesGo(String path, String clean) {
        assertThat(Paths.clean(path)).isEqualTo(clean);
    }
}
