// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.image.ImageReference;
import dev.redoma.engine.recipe.Recipe;
import dev.redoma.model.BuildId;
import dev.redoma.model.Caller;
import dev.redoma.model.RegistryLogin;
import dev.redoma.pool.TarIndex;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/// A build in memory, from its request to its end: what it is given (values of `ARG`s and a login of a registry are nowhere else) and whether it is still wanted.
final class BuildOrder {
    private final BuildRow row;
    private final Caller caller;
    private final @Nullable Recipe recipe;
    private final @Nullable ImageReference image;
    private final @Nullable TarIndex files;
    private final Map<String, String> args;
    private final @Nullable RegistryLogin login;
    private final boolean noCache;
    private final BuildLog log;
    private final CountDownLatch settled = new CountDownLatch(1);
    private volatile boolean cancelled;
    private volatile boolean interrupted;
    private volatile Runnable breakOff = () -> {};

    BuildOrder(BuildRow row, Caller caller, Recipe recipe, @Nullable TarIndex files, Map<String, String> args, @Nullable RegistryLogin login, boolean noCache, BuildLog log) {
        this(row, caller, recipe, null, files, args, login, noCache, log);
    }

    /// Of an image.
    BuildOrder(BuildRow row, Caller caller, ImageReference image, @Nullable RegistryLogin login, BuildLog log) {
        this(row, caller, null, image, null, Map.of(), login, false, log);
    }

    private BuildOrder(BuildRow row, Caller caller, @Nullable Recipe recipe, @Nullable ImageReference image, @Nullable TarIndex files, Map<String, String> args,
            @Nullable RegistryLogin login, boolean noCache, BuildLog log) {
        this.row = row;
        this.caller = caller;
        this.recipe = recipe;
        this.image = image;
        this.files = files;
        this.args = Map.copyOf(args);
        this.login = login;
        this.noCache = noCache;
        this.log = log;
    }

    BuildRow row() {
        return row;
    }

    BuildId id() {
        return row.id();
    }

    Caller caller() {
        return caller;
    }

    Recipe recipe() {
        return Objects.requireNonNull(recipe, "a build of an image has no recipe");
    }

    /// Null: it has a recipe.
    @Nullable ImageReference image() {
        return image;
    }

    @Nullable TarIndex files() {
        return files;
    }

    Map<String, String> args() {
        return args;
    }

    /// For the registry of the image that it is of, or stands on; null: what the operator says.
    @Nullable RegistryLogin login() {
        return login;
    }

    boolean noCache() {
        return noCache;
    }

    BuildLog log() {
        return log;
    }

    CountDownLatch settled() {
        return settled;
    }

    boolean cancelled() {
        return cancelled;
    }

    boolean unwanted() {
        return cancelled || interrupted;
    }

    void cancel() {
        cancelled = true;
        breakOff.run();
    }

    /// The server stops.
    void interrupt() {
        interrupted = true;
        breakOff.run();
    }

    /// What ends the step at work. Runs at once if the build is unwanted already.
    void breakOff(Runnable action) {
        breakOff = action;
        if (unwanted()) {
            action.run();
        }
    }
}
