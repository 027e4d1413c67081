// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.Exec;
import java.nio.charset.StandardCharsets;

/// A command that has ended, with what it printed (as far as it was kept).
public record Finished(Exec exec, byte[] stdout, byte[] stderr) {

    /// 128 + signal when signalled; -1 when the exit was never seen.
    public int exitCode() {
        var code = exec.exitCode();
        return code == null ? -1 : code;
    }

    public String stdoutText() {
        return new String(stdout, StandardCharsets.UTF_8);
    }

    public String stderrText() {
        return new String(stderr, StandardCharsets.UTF_8);
    }
}
