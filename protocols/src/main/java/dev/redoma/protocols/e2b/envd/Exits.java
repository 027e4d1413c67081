// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.model.wire.Exec;
import java.util.LinkedHashMap;
import java.util.Map;

/// How a process ended, in the words that these clients know from Go.
final class Exits {
    private static final Map<Integer, String> SIGNALS = Map.ofEntries(
            Map.entry(1, "hangup"), Map.entry(2, "interrupt"), Map.entry(3, "quit"), Map.entry(4, "illegal instruction"), Map.entry(5, "trace/breakpoint trap"),
            Map.entry(6, "aborted"), Map.entry(7, "bus error"), Map.entry(8, "floating point exception"), Map.entry(9, "killed"), Map.entry(10, "user defined signal 1"),
            Map.entry(11, "segmentation fault"), Map.entry(12, "user defined signal 2"), Map.entry(13, "broken pipe"), Map.entry(14, "alarm clock"), Map.entry(15, "terminated"));

    private Exits() {}

    static boolean ended(Exec exec) {
        return exec.state().equals("exited") || exec.state().equals("lost");
    }

    /// The `end` event of one whose exit was seen.
    static Map<String, Object> event(Exec exec) {
        var end = new LinkedHashMap<String, Object>();
        var signal = exec.signal();
        boolean signalled = signal != null && signal != 0;
        int code = exec.exitCode() == null ? -1 : exec.exitCode();
        var status = signalled ? "signal: " + SIGNALS.getOrDefault(signal, "signal " + signal) : "exit status " + code;
        end.put("exitCode", signalled ? -1 : code);
        end.put("exited", !signalled);
        end.put("status", status);
        if (signalled || code != 0) {
            end.put("error", status);
        }
        return Map.of("end", end);
    }
}
