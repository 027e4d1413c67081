// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApprovalPolicyTest {

    private static PolicyDocument read(String layer, String text) {
        return PolicyFile.read(layer, "p.yaml", text);
    }

    @Test
    void rulesOfAllDocumentsCountAndTheStrictestOfEach() {
        var stack = new PolicyStack("custom", List.of(read("floor", "approve: [{exec: ['git push*', 'rm *'], by: 2, within: 1h}, {port: any}]\n"), read("request", "approve: [{exec: git*, within: 5m}, {raise: lifetime}, {apply: true, by: 2}]\n")));
        var all = stack.approvals();
        assertThat(all.exec(List.of("git", "push", "origin"))).contains(new ApprovalPolicy.Needed(List.of("floor.approve[0]", "request.approve[0]"), 2, Duration.ofMinutes(5)));
        assertThat(all.exec(List.of("git", "pull"))).contains(new ApprovalPolicy.Needed(List.of("request.approve[0]"), 1, Duration.ofMinutes(5)));
        assertThat(all.exec(List.of("ls"))).isEmpty();
        assertThat(all.port(8080)).isPresent();
        assertThat(all.raise("lifetime")).isPresent();
        assertThat(all.apply()).contains(new ApprovalPolicy.Needed(List.of("request.approve[2]"), 2, Duration.ofMinutes(30)));
        assertThat(ApprovalPolicy.NOTHING.apply()).isEmpty();
        var told = Explainer.explain(stack, 0);
        assertThat(told.lines()).extracting("rule").containsExactly("floor.approve[0]", "floor.approve[1]", "request.approve[0]", "request.approve[1]", "request.approve[2]");
        assertThat(told.notes()).anyMatch(n -> n.contains("advisory"));
        assertThat(all.without(read("request", "approve: [{exec: ['git push*', 'rm *'], by: 3, within: 1h}, {port: any}]\n").approve().stream().collect(java.util.stream.Collectors.collectingAndThen(java.util.stream.Collectors.toList(), ApprovalPolicy::new))))
                .extracting(ApprovalRule::id).containsExactly("request.approve[0]", "request.approve[1]", "request.approve[2]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "git push*|git,push|true", "git push*|git,push,origin,main|true", "git push*|/usr/bin/git,push|true", "git push*|git,pull|false", "git push*|sh,-c,git push|true",
        "git push*|bash,-lc,cd x && git   push -f|true", "git push*|bash,-l,-c,echo $(git push)|true", "git push*|/bin/bash,-c,true; /usr/bin/git push|true", "git push*|sh,-c,echo hi|false", "git push*|sh,script.sh|false",
        "git push*|sh,-c,if true; then git push; fi|true", "git push*|sh,-c,while :; do FOO=1 git push; done|true", "git push*|sh,-c,--,git push|true", "git push*|sh,-ce,git push|true",
        "git push*|env,A=1,git,push|true", "git push*|sudo,-n,/usr/bin/git,push|true", "git push*|timeout,5,sh,-c,git push|true", "git push*|sh,-c,'git' \"push\" x|true", "git push*|echo,git,push|false", "git push*|sh,-c,echo then git push|false",
        "*|anything|true", "rm -rf /*|rm,-rf,/etc|true", "a*b*c|aXbYc|true", "a*b*c|aXbY|false"})
    void aPatternMeetsACommandByItsWords(String pattern, String argv, boolean meets) {
        assertThat(new CommandPattern(pattern).matches(List.of(argv.split(",")))).isEqualTo(meets);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "approve: [{by: 1}]|it is about one of", "approve: [{exec: a, port: 1}]|it is about one of", "approve: [{exec: []}]|is empty", "approve: [{exec: a, by: 0}]|by is", "approve: [{exec: a, by: 6}]|by is",
        "approve: [{exec: a, within: 8d}]|more than 7d", "approve: [{exec: a, within: never}]|not a time", "approve: [{exec: ''}]|words of a command", "approve: [{port: 70000}]|neither a port", "approve: [{raise: fame}]|not one of",
        "approve: [{apply: false}]|not one of true", "approve: {exec: a}|must be a list", "approve: [{exek: a}]|unknown key"})
    void whatCannotBeTakenIsToldWithItsPlace(String text, String why) {
        assertThatThrownBy(() -> read("request", text)).isInstanceOfSatisfying(RedomaException.class, e -> {
            assertThat(e.code()).isEqualTo(Code.POLICY_INVALID);
            assertThat(e.getMessage()).contains(why).contains("line 1");
        });
    }
}
