// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.recipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.engine.recipe.Expansion.Malformed;
import dev.redoma.engine.recipe.Instruction.Pair;
import dev.redoma.model.RedomaException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Recipes as text.
class DockerfileTest {
    private static List<Instruction> steps(String text) {
        return Recipe.parse("Dockerfile", text).steps().stream().map(Step::what).toList();
    }

    private static RedomaException refused(String name, String text) {
        try {
            Recipe.parse(name, text);
        } catch (RedomaException e) {
            return e;
        }
        throw new AssertionError("taken: " + text);
    }

    @Test
    void linesAreJoinedAsDockerJoinsThem() {
        assertThat(steps("# syntax=docker/dockerfile:1\n\nFROM a\nRUN one \\\n# a comment between\n   two\\\n\n three\nrun x\\\\\nRUN y\n")).containsExactly(
                new Instruction.Run(List.of("one    two three"), true), new Instruction.Run(List.of("x\\\\"), true), new Instruction.Run(List.of("y"), true));
    }

    @Test
    void theEscapeDirectiveChangesWhatJoinsAndEscapes() {
        assertThat(steps("# escape=`\nFROM a\nRUN c:\\x `\n y\n")).containsExactly(new Instruction.Run(List.of("c:\\x  y"), true));
        assertThat(refused("Dockerfile", "# escape=x\nFROM a\n").problem().details()).containsEntry("line", 1);
    }

    @Test
    void shellAndExecFormsAreToldApart() {
        assertThat(steps("FROM a\nRUN [\"a\", \"b c\"]\nRUN [ -e x ] && y\nCMD []\nENTRYPOINT [\"e\"]\nCMD a b\n")).containsExactly(
                new Instruction.Run(List.of("a", "b c"), false), new Instruction.Run(List.of("[ -e x ] && y"), true), new Instruction.Cmd(List.of(), false),
                new Instruction.Entrypoint(List.of("e"), false), new Instruction.Cmd(List.of("a b"), true));
    }

    @Test
    void variablesAreSetInBothForms() {
        assertThat(steps("FROM a\nENV A=1 B=\"x y\" C=d\\ e\nENV OLD the rest  of it\nLABEL \"a b\"=c\nARG X\nARG Y=1\n")).containsExactly(
                new Instruction.Env(List.of(new Pair("A", "1"), new Pair("B", "\"x y\""), new Pair("C", "d\\ e"))),
                new Instruction.Env(List.of(new Pair("OLD", "the rest  of it"))),
                new Instruction.Labels(List.of(new Pair("\"a b\"", "c"))), new Instruction.Arg("X", null), new Instruction.Arg("Y", "1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"VOLUME /x", "HEALTHCHECK CMD x", "ONBUILD RUN x", "MAINTAINER me", "NONSENSE x", "RUN", "RUN --mount=type=cache,target=/x y", "RUN --network=host x",
        "RUN cat <<EOF", "COPY <<EOF /x", "COPY --from=other a b", "COPY --link a b", "COPY a", "ADD https://example.com/x /x", "ADD git@example.com:x /x", "FROM b", "ARG a-b=1", "SHELL x",
        "ENV A", "ENV =x", "COPY \"a b", "RUN []"})
    void whatIsNotTakenIsRefusedByItsLine(String line) {
        var refused = refused("Dockerfile", "FROM a\n# a comment\n" + line + "\n");
        assertThat(refused.problem().details()).containsEntry("line", 3);
        assertThat(refused.code().wire()).isEqualTo("recipe-refused");
    }

    @Test
    void aShiftIsNoHereDocument() {
        assertThat(steps("FROM a\nRUN echo $((1 << 2))\n")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "$x|v", "${x}y|vy", "$xy|''", "${x:-d}|v", "${no:-d}|d", "${empty:-d}|d", "${empty-d}|''", "${x:+p}|p", "${no:+p}|''", "${empty:+p}|''", "${empty+p}|p",
        "${no:-${x:-z}}|v", "'$x'|v", "\\$x|$x", "\"$x \\\" \\a\"|v \" \\a", "a\\ b|a b", "$|$", "a$ b|a$ b", "$1|$1", "${no:-a b}|a b"})
    void variablesAreSubstitutedAsDockerDoes(String word, String value) throws Malformed {
        // CsvSource takes single quotes for its own: '$x' arrives bare
        assertThat(Expansion.of(word, '\\', Map.of("x", "v", "empty", ""))).isEqualTo(value);
    }

    @Test
    void singleQuotesKeepWhatIsInThem() throws Malformed {
        assertThat(Expansion.of("'$x \\'\"'\"", '\\', Map.of("x", "v")).replace("'", "")).isEqualTo("$x \\");
    }

    @ParameterizedTest
    @ValueSource(strings = {"${x", "${}", "${x!y}", "\"a", "'a", "${x:", "${no:?needed}", "${x##*/}"})
    void malformedWordsAreRefused(String word) {
        assertThatThrownBy(() -> Expansion.of(word, '\\', Map.of("x", "v"))).isInstanceOf(Malformed.class);
    }

    @ParameterizedTest
    @CsvSource({"*.c,a.c,true", "*.c,.c,true", "a?c,abc,true", "a?c,ac,false", "[a-c]x,bx,true", "[^a-c]x,bx,false", "[^a-c]x,dx,true", "\\*,*,true", "\\*,a,false", "*a*b,xayb,true",
        "*a*b,xayc,false", "[a,a,false", "[]a],],true", "**,abc,true"})
    void patternsOfNamesAreGos(String pattern, String name, boolean matches) {
        assertThat(Glob.matches(pattern, name)).isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "from: a\\nfrom: b|2|1", "form: a|1|1", "from: a\\nsteps:\\n- rnu: x|3|3", "from: a\\nsteps:\\n- {run: x, user: y}|3|3", "from: [a]|1|7", "from: a\\nsteps: x|2|8",
        "from: a\\nstart: {command: x, ready: {}}|2|28", "from: a\\nstart: {command: x, ready: {port: 99999}}|2|35", "from: a\\npolicy: internet|2|9", "from: &x a|1|1", "from: a\\nsteps:\\n- copy: {from: x}|3|9",
        "from: a\\n  b: c|2|4"})
    void ourOwnFormTellsLineAndColumn(String text, int line, int column) {
        var details = refused("recipe.yaml", text.replace("\\n", "\n")).problem().details();
        assertThat(details).containsEntry("line", line).containsEntry("column", column);
    }
}
