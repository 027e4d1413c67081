// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.Tty;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A command to be run: words, never a shell string. Immutable; each method returns a changed copy.
public record Command(ExecSpec spec) {

    public static Command of(String... argv) {
        return of(List.of(argv));
    }

    public static Command of(List<String> argv) {
        return new Command(new ExecSpec(List.copyOf(argv), null, null, null, null, null, null, null, null));
    }

    public Command cwd(String directory) {
        return new Command(new ExecSpec(spec.argv(), directory, spec.env(), spec.user(), spec.tty(), spec.stdin(), spec.timeoutMs(), spec.outputLimitBytes(), spec.label()));
    }

    public Command env(String name, String value) {
        var old = spec.env();
        var more = old == null ? new TreeMap<String, String>() : new TreeMap<>(old);
        more.put(name, value);
        return env(more);
    }

    public Command env(Map<String, String> all) {
        return new Command(new ExecSpec(spec.argv(), spec.cwd(), all, spec.user(), spec.tty(), spec.stdin(), spec.timeoutMs(), spec.outputLimitBytes(), spec.label()));
    }

    public Command user(String name) {
        return new Command(new ExecSpec(spec.argv(), spec.cwd(), spec.env(), name, spec.tty(), spec.stdin(), spec.timeoutMs(), spec.outputLimitBytes(), spec.label()));
    }

    public Command terminal(Tty size) {
        return new Command(new ExecSpec(spec.argv(), spec.cwd(), spec.env(), spec.user(), size, spec.stdin(), spec.timeoutMs(), spec.outputLimitBytes(), spec.label()));
    }

    /// Keeps stdin open until it is closed; without this it is empty.
    public Command stdin() {
        return new Command(new ExecSpec(spec.argv(), spec.cwd(), spec.env(), spec.user(), spec.tty(), true, spec.timeoutMs(), spec.outputLimitBytes(), spec.label()));
    }

    public Command timeout(Duration limit) {
        return new Command(new ExecSpec(spec.argv(), spec.cwd(), spec.env(), spec.user(), spec.tty(), spec.stdin(), limit.toMillis(), spec.outputLimitBytes(), spec.label()));
    }

    public Command outputLimit(long bytes) {
        return new Command(new ExecSpec(spec.argv(), spec.cwd(), spec.env(), spec.user(), spec.tty(), spec.stdin(), spec.timeoutMs(), bytes, spec.label()));
    }

    public Command label(String label) {
        return new Command(new ExecSpec(spec.argv(), spec.cwd(), spec.env(), spec.user(), spec.tty(), spec.stdin(), spec.timeoutMs(), spec.outputLimitBytes(), label));
    }
}
