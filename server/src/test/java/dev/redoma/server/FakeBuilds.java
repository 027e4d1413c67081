// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Builds;
import dev.redoma.model.Caller;
import dev.redoma.model.RegistryLogin;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Build;
import dev.redoma.model.wire.StartBuild;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// No builds: what they do is seen on a real server.
final class FakeBuilds implements Builds {
    @Override
    public Build start(Caller caller, String template, StartBuild what, @Nullable RegistryLogin login) {
        throw none();
    }

    @Override
    public Build start(Caller caller, String template, FilesBuild what, InputStream files) {
        throw none();
    }

    @Override
    public List<Build> list(Caller caller) {
        return List.of();
    }

    @Override
    public Build get(Caller caller, String build) {
        throw none();
    }

    @Override
    public Build cancel(Caller caller, String build) {
        throw none();
    }

    @Override
    public Log log(Caller caller, String build, long offset) {
        throw none();
    }

    private static RuntimeException none() {
        return Problem.of(Code.BUILD_NOT_FOUND, "There are no builds.", "Use a real server.").raise();
    }
}
