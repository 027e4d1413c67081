// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Body of `POST /v1/sandboxes/{id}/execs`. `argv` is never a shell string. `timeoutMs` null = none (until the sandbox ends). `stdin` false = `/dev/null`. `outputLimitBytes`: what is kept; the rest is counted and dropped.
public record ExecSpec(
        List<String> argv,
        @Nullable String cwd,
        @Nullable Map<String, String> env,
        @Nullable String user,
        @Nullable Tty tty,
        @Nullable Boolean stdin,
        @Nullable Long timeoutMs,
        @Nullable Long outputLimitBytes,
        @Nullable String label) {}
