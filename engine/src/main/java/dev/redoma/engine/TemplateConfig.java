// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a template says about commands: the user they run as, where, and with what environment; and what an image's own configuration
/// says beside. Null is what nobody said. `exposedPorts` as in images: `8080/tcp`.
record TemplateConfig(
        @Nullable String user,
        @Nullable String cwd,
        @Nullable Map<String, String> env,
        @Nullable List<String> entrypoint,
        @Nullable List<String> cmd,
        @Nullable List<String> exposedPorts,
        @Nullable Map<String, String> labels,
        @Nullable String stopSignal,
        @Nullable Start start) {
    /// What starts in every sandbox, and how it is seen to be ready (null: it is not waited for).
    record Start(List<String> command, @Nullable Ready ready) {}

    /// A port that takes connections, or a command that ends with 0; within that time.
    record Ready(@Nullable Integer port, @Nullable List<String> command, long timeoutMs) {}

    static final TemplateConfig NONE = of(null, null, null);

    static TemplateConfig of(@Nullable String user, @Nullable String cwd, @Nullable Map<String, String> env) {
        return new TemplateConfig(user, cwd, env, null, null, null, null, null, null);
    }

    String userOrRoot() {
        return user == null ? "root" : user;
    }

    Map<String, String> environment() {
        return env == null ? Map.of() : env;
    }
}
