// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a template says about commands: the user they run as, where, and with what environment.
record TemplateConfig(@Nullable String user, @Nullable String cwd, @Nullable Map<String, String> env) {
    static final TemplateConfig NONE = new TemplateConfig(null, null, null);

    String userOrRoot() {
        return user == null ? "root" : user;
    }

    Map<String, String> environment() {
        return env == null ? Map.of() : env;
    }
}
