// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.RegistryLogin;
import dev.redoma.model.wire.Build;
import dev.redoma.model.wire.StartBuild;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Builds of template versions from recipes. Builds of one name run one after the other; those that a server's end interrupted are
/// `failed`, and nothing of them is left.
public interface Builds {

    /// Of a recipe without files, or of an image. Returns when the build is queued; operators only.
    default Build start(Caller caller, String template, StartBuild what) {
        return start(caller, template, what, null);
    }

    /// The same with a login for the registry of the image that it pulls.
    Build start(Caller caller, String template, StartBuild what, @Nullable RegistryLogin login);

    /// Of a recipe with its files: a tar (plain, gzip or zstd) that holds the recipe itself.
    Build start(Caller caller, String template, FilesBuild what, InputStream files) throws IOException;

    /// `recipe`: the path of the recipe in the files; null: `recipe.yaml`, else `Dockerfile`. `hidden`: no step sees it. `login`: for the registry of
    /// the image that it stands on.
    record FilesBuild(@Nullable String recipe, Map<String, String> args, @Nullable String tag, boolean noCache, boolean hidden, @Nullable RegistryLogin login) {}

    /// Newest first.
    List<Build> list(Caller caller);

    Build get(Caller caller, String build);

    /// Ends it if it has not ended; the build as it is then.
    Build cancel(Caller caller, String build);

    /// Its log from a byte on, to its end. Close it when done.
    Log log(Caller caller, String build, long offset);

    /// A reader of one build's log. Not thread-safe.
    interface Log extends AutoCloseable {
        /// What comes next; empty if nothing came for that long; null at the end, when the build has ended.
        byte @Nullable [] next(Duration atMost) throws InterruptedException;

        @Override
        void close();
    }
}
