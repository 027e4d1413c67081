// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.recipe;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One step of a recipe as written: words are not expanded yet.
public sealed interface Instruction {

    record From(String source) implements Instruction {}

    /// `command` is one string for the shell in force, or (exec form) the words themselves.
    record Run(List<String> command, boolean shell) implements Instruction {}

    record Copy(List<String> sources, String target, @Nullable String owner, @Nullable String mode, boolean add) implements Instruction {}

    /// A pair that is set.
    record Pair(String name, String value) {}

    record Env(List<Pair> pairs) implements Instruction {}

    record Labels(List<Pair> pairs) implements Instruction {}

    record Arg(String name, @Nullable String fallback) implements Instruction {}

    record Workdir(String path) implements Instruction {}

    record User(String user) implements Instruction {}

    record Expose(List<String> ports) implements Instruction {}

    record Entrypoint(List<String> command, boolean shell) implements Instruction {}

    record Cmd(List<String> command, boolean shell) implements Instruction {}

    record Shell(List<String> command) implements Instruction {}

    record StopSignal(String signal) implements Instruction {}
}
