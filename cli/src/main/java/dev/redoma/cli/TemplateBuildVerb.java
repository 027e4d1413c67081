// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.Problem;
import dev.redoma.model.TemplateReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Builds a template from a folder or recipe of the user's, or one of those that come with the product.
@Command(name = "build", description = {
    "Build a template: WHAT is a folder with a recipe.yaml or Dockerfile, such a file itself (its folder goes along), or the name of a",
    "template that comes with Redoma (base). The log is shown as it comes; what .dockerignore leaves out is not sent."})
final class TemplateBuildVerb extends Verb {
    private static final List<String> RECIPES = List.of("recipe.yaml", "Dockerfile");

    @Parameters(index = "0", paramLabel = "WHAT")
    String what = "";

    @Option(names = "--name", paramLabel = "NAME[:TAG]", description = "Name of the template (default: that of the folder), and a tag of the version, as --tag gives it.")
    @Nullable String name;

    @Option(names = "--tag", description = "A tag of the version, beside latest; several with commas between.")
    @Nullable String tag;

    @Option(names = "--build-arg", paramLabel = "NAME=VALUE", description = "Value of an ARG; may be repeated.")
    List<String> args = List.of();

    @Option(names = "--no-cache", description = "Do every step anew.")
    boolean noCache;

    @Option(names = {"-d", "--detach"}, description = "Do not wait for the end.")
    boolean detach;

    @Mixin
    RegistryFlags registry = new RegistryFlags();

    TemplateBuildVerb(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) throws IOException, InterruptedException {
        var path = Path.of(what);
        if (!Files.exists(path) && TemplateBuild.isShipped(what)) {
            asItComes();
            TemplateGroup.said(this, new TemplateBuild(io).build(client, what, Path.of(System.getProperty("java.io.tmpdir"))));
            return Exit.OK;
        }
        var recipe = recipe(path);
        var folder = Objects.requireNonNull(recipe.toAbsolutePath().normalize().getParent());
        var called = called(folder);
        try (var progress = Progress.onTerminal(io, "upload")) {
            var sent = client.builds().start(called.name(), folder, String.valueOf(recipe.getFileName()), arguments(), called.tag(), noCache, registry.login(io), done -> progress.at(done, -1));
            progress.close();
            sent.leftOut().forEach(left -> io.err().println("redoma: not sent, it is no file, folder or link: " + Text.safe(left)));
            return new BuildFollow(this).follow(client, sent.build(), detach);
        }
    }

    private void asItComes() {
        if (name != null || tag != null || !args.isEmpty() || noCache || detach) {
            throw new Failed(Exit.USAGE, "The template '" + Text.safe(what) + "' comes with Redoma and is built as it is, under its own name: --name, --tag, --build-arg, --no-cache and --detach do not go with it.",
                    "Leave them out; 'redoma template tag' gives it further names, and a recipe can begin with FROM " + Text.safe(what) + ".");
        }
    }

    private static Path recipe(Path path) {
        if (Files.isRegularFile(path)) {
            return path;
        }
        return RECIPES.stream().map(path::resolve).filter(Files::isRegularFile).findFirst().orElseThrow(() -> new Failed(Exit.USAGE,
                Files.isDirectory(path) ? "There is neither recipe.yaml nor Dockerfile in " + path + "." : "There is no '" + path + "', and no template of that name comes with Redoma.",
                "Name a folder with a recipe, or the recipe."));
    }

    private Called called(Path folder) {
        if (name == null) {
            return new Called(named(folder), tag);
        }
        var given = TemplateReference.parse("--name", name);
        if (given.name() == null || given.digest() != null) {
            throw Problem.field("--name", "a digest comes of itself", "NAME or NAME:TAG");
        }
        if (given.tag() != null && tag != null && !tag.equals(given.tag())) {
            throw new Failed(Exit.USAGE, "--name gives the tag '" + given.tag() + "' and --tag another.", "Give one of them.");
        }
        return new Called(given.name(), given.tag() == null ? tag : given.tag());
    }

    private record Called(String name, @Nullable String tag) {}

    private static String named(Path folder) {
        var name = folder.getFileName() == null ? "" : folder.getFileName().toString().toLowerCase(Locale.ROOT);
        if (!name.matches("[a-z0-9]([a-z0-9_-]{0,126}[a-z0-9])?")) {
            throw new Failed(Exit.USAGE, "The folder's name '" + Text.safe(name) + "' is no name of a template.", "Give one with --name (a-z, 0-9 and inner '-' and '_').");
        }
        return name;
    }

    private Map<String, String> arguments() {
        var all = new LinkedHashMap<String, String>();
        for (var arg : args) {
            int equals = arg.indexOf('=');
            if (equals <= 0) {
                throw new Failed(Exit.USAGE, "--build-arg '" + Text.safe(arg) + "' is not of the form NAME=VALUE.", "Give its value after '='.");
            }
            all.put(arg.substring(0, equals), arg.substring(equals + 1));
        }
        return all;
    }
}
