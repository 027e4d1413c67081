// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a `.dockerignore` leaves out.
class IgnoreRulesTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "*.log|a.log|true", "*.log|d/a.log|false", "**/*.log|d/e/a.log|true", "**/*.log|a.log|true", "d|d/e/f|true", "/d/|d|true", "./d|d/x|true", "d/*|d/x|true", "d/*|d|false",
        "*~!keep|keep|false", "*~!d/keep|d/keep|false", "*~!d/keep|d/other|true", "*~!*.md~secret.md|secret.md|true", "*~!*.md~secret.md|README.md|false", "d~!d/x|d/x/y|false",
        "a?c|abc|true", "[ab]|b|true", "a**b|a/x/b|true", "**|anything/at/all|true", "# *|a|false", "\\#a|#a|true", ".|a|false", "d/../e|e|true", "a b |a b|true"})
    void patternsMeanWhatTheyMeanForDocker(String rules, String path, boolean out) {
        var parsed = IgnoreRules.parse(rules.replace('~', '\n').getBytes(StandardCharsets.UTF_8));
        assertThat(parsed.leavesOut(path)).isEqualTo(out);
    }
}
