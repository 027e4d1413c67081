// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.image.ImageReference;
import dev.redoma.engine.recipe.Recipe;
import dev.redoma.model.Amounts;
import dev.redoma.model.BuildId;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.RegistryLogin;
import dev.redoma.model.Scope;
import dev.redoma.model.TemplateReference;
import dev.redoma.model.wire.Build;
import dev.redoma.model.wire.StartBuild;
import dev.redoma.pool.TarIndex;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Takes builds, shows them and ends them. Thread-safe.
final class BuildService implements Builds {
    private static final int SHOWN = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Core core;
    private final BuildQueue queue;
    private final BuildPlaces places;
    private final TemplateImages images;

    BuildService(Core core, BuildQueue queue, BuildPlaces places, TemplateImages images) {
        this.images = images;
        this.core = core;
        this.queue = queue;
        this.places = places;
    }

    @Override
    public Build start(Caller caller, String template, StartBuild what, @Nullable RegistryLogin login) {
        caller.need(Scope.OPERATE);
        String name = Objects.requireNonNull(RequestRules.template("template", template));
        if ((what.image() == null) == (what.recipe() == null)) {
            throw Problem.field("recipe", "one of image and recipe must be there", "one of them");
        }
        if (what.image() != null) {
            return pulled(caller, name, what.image(), what.tag(), login);
        }
        String form = RequestRules.oneOf("form", what.form(), "dockerfile", List.of("dockerfile", "recipe"));
        Recipe recipe = Recipe.parse(form.equals("recipe") ? "recipe.yaml" : "Dockerfile", Objects.requireNonNull(what.recipe()));
        var id = BuildId.mint();
        places.make(id);
        return queued(caller, id, name, form, new Given(recipe, null, what.args() == null ? Map.of() : what.args(), what.tag(), Boolean.TRUE.equals(what.noCache()), login));
    }

    @Override
    public Build start(Caller caller, String template, FilesBuild what, InputStream files) throws IOException {
        caller.need(Scope.OPERATE);
        String name = Objects.requireNonNull(RequestRules.template("template", template));
        var id = BuildId.mint();
        places.make(id);
        try {
            TarIndex index = places.take(id, files);
            try {
                var file = recipeFile(index, what.recipe());
                Recipe recipe = Recipe.parse(BuildPaths.name(file.path()), content(index, file));
                if (what.hidden()) {
                    index.hide(file);
                }
                return queued(caller, id, name, Recipe.isYaml(file.path()) ? "recipe" : "dockerfile",
                        new Given(recipe, index, what.args(), what.tag(), what.noCache(), what.login()));
            } catch (RuntimeException | IOException e) {
                index.close();
                throw e;
            }
        } catch (RuntimeException | IOException e) {
            places.remove(id);
            throw e;
        }
    }

    private Build pulled(Caller caller, String template, String reference, @Nullable String asked, @Nullable RegistryLogin login) {
        ImageReference image = ImageReference.parse(reference);
        images.mustKnowWhere(image);
        String tag = asked == null ? null : TemplateReference.tags("tag", asked);
        var id = BuildId.mint();
        places.make(id);
        var row = BuildRow.queued(id, caller.tenant(), template, tag, "image", 1, caller.key(), core.now());
        queue.add(new BuildOrder(row, caller, image, login, BuildLog.fresh(places.log(id), core.config().building().logBytes())), () -> core.store().write(tx -> {
            BuildRows.insert(tx, row);
            core.records().build(tx, row, caller.key(), "build.create", Map.of("image", image.toString()));
            return true;
        }));
        return row.view();
    }

    private static TarIndex.Entry recipeFile(TarIndex files, @Nullable String asked) {
        Optional<TarIndex.Entry> found = asked == null
                ? files.find("recipe.yaml").or(() -> files.find("Dockerfile"))
                : files.find(asked.startsWith("./") ? asked.substring(2) : asked);
        return found.filter(e -> e.kind() == TarIndex.Kind.FILE).orElseThrow(() -> Problem.field("recipe",
                asked == null ? "there is neither recipe.yaml nor Dockerfile among the files" : "'" + CopySources.shown(asked) + "' is no file among the files",
                "the path of the recipe in the tar"));
    }

    private static byte[] content(TarIndex files, TarIndex.Entry file) throws IOException {
        try (InputStream in = files.open(file)) {
            return in.readNBytes(Recipe.LARGEST + 1);
        }
    }

    /// What a build is given beside its name.
    private record Given(Recipe recipe, @Nullable TarIndex files, Map<String, String> args, @Nullable String tag, boolean noCache, @Nullable RegistryLogin login) {}

    private Build queued(Caller caller, BuildId id, String template, String source, Given given) {
        args(given.args());
        String tag = given.tag() == null ? null : TemplateReference.tags("tag", given.tag());
        var row = BuildRow.queued(id, caller.tenant(), template, tag, source, given.recipe().count(), caller.key(), core.now());
        var order = new BuildOrder(row, caller, given.recipe(), given.files(), given.args(), given.login(), given.noCache(), BuildLog.fresh(places.log(id), core.config().building().logBytes()));
        queue.add(order, () -> core.store().write(tx -> {
            BuildRows.insert(tx, row);
            core.records().build(tx, row, caller.key(), "build.create", Map.of("steps", row.steps(), "argNames", given.args().keySet().stream().sorted().toList()));
            return true;
        }));
        return row.view();
    }

    private static void args(Map<String, String> args) {
        RequestRules.env(args);
    }

    @Override
    public List<Build> list(Caller caller) {
        caller.need(Scope.READ);
        return core.store().read(tx -> BuildRows.newest(tx, SHOWN)).stream().filter(r -> sees(caller, r)).map(BuildRow::view).toList();
    }

    private static boolean sees(Caller caller, BuildRow row) {
        return caller.operator() || row.tenant().equals(caller.tenant());
    }

    private BuildRow visible(Caller caller, String build) {
        return core.store().read(tx -> BuildRows.find(tx, build)).filter(r -> sees(caller, r)).orElseThrow(() -> Problem.of(
                        Code.BUILD_NOT_FOUND, "No build '" + RequestRules.shown(build) + "'.", "See 'redoma build list' for those there are.").raise());
    }

    @Override
    public Build get(Caller caller, String build) {
        caller.need(Scope.READ);
        return visible(caller, build).view();
    }

    @Override
    public Build cancel(Caller caller, String build) {
        caller.need(Scope.OPERATE);
        BuildRow row = visible(caller, build);
        queue.find(row.id()).ifPresent(order -> {
            queue.cancel(order);
            try {
                if (!order.settled().await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    throw Problem.of(Code.REQUEST_TIMEOUT, "The build has not ended within " + Amounts.time(PATIENCE) + "; it ends as soon as it can.", "Ask for it again.").raise();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return visible(caller, build).view();
    }

    @Override
    public Log log(Caller caller, String build, long offset) {
        caller.need(Scope.READ);
        if (offset < 0) {
            throw Problem.field("offset", offset + " is negative", "0 or more");
        }
        BuildRow row = visible(caller, build);
        return queue.find(row.id()).map(BuildOrder::log).orElseGet(() -> BuildLog.finished(places.log(row.id()))).reader(offset);
    }

    /// Of a failed build: the problem as it is kept.
    static dev.redoma.model.wire.Problem problem(Throwable failed) {
        var known = failed instanceof RedomaException e
                ? e.problem()
                : Problem.of(Code.INTERNAL, "The build failed for a reason of ours: " + failed.getClass().getSimpleName() + ".", "See the server's log.");
        return dev.redoma.model.wire.Problem.of(known);
    }
}
