// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaApiException;
import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Build;
import dev.redoma.model.wire.StartBuild;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Pulls an image from a registry into a template.
@Command(name = "pull", description = "Pull an image from a registry as a new version of a template.")
final class TemplatePull extends Verb {
    @Parameters(index = "0", paramLabel = "IMAGE", description = "[HOST[:PORT]/]PATH[:TAG][@DIGEST]")
    String image = "";

    @Option(names = "--name", paramLabel = "NAME[:TAG]", description = "What the template is called: else the last part of the path, with the image's tag.")
    @Nullable String name;

    @Mixin
    RegistryFlags registry = new RegistryFlags();

    TemplatePull(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) throws IOException {
        var called = name == null ? named(image) : name;
        int colon = called.indexOf(':');
        var template = colon < 0 ? called : called.substring(0, colon);
        var begun = client.builds().start(template, new StartBuild(image, null, null, null, colon < 0 ? null : called.substring(colon + 1), null), registry.login(io));
        var ended = followed(client, begun);
        if (!ended.state().equals("ready")) {
            throw ended.error() != null ? new RedomaApiException(ended.error()) : new Failed(Exit.FAILURE, "The pull was " + ended.state() + ".", "Begin it again.");
        }
        TemplateGroup.said(this, client.templates().get(template + "@" + ended.digest()));
        return Exit.OK;
    }

    /// The log goes to stderr as it comes; interrupted, the build is cancelled.
    private Build followed(RedomaClient client, Build begun) throws IOException {
        try (var interrupted = new OnInterrupt(() -> client.builds().cancel(begun.id()))) {
            return client.builds().follow(begun.id(), json ? OutputStream.nullOutputStream() : new Lines());
        }
    }

    /// The last part of the path, made a name of ours, with the tag if there is one.
    static String named(String image) {
        var rest = image.indexOf('@') < 0 ? image : image.substring(0, image.indexOf('@'));
        var last = rest.substring(rest.lastIndexOf('/') + 1);
        int colon = last.indexOf(':');
        var name = (colon < 0 ? last : last.substring(0, colon)).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        return name + (colon < 0 ? "" : last.substring(colon));
    }

    private final class Lines extends OutputStream {
        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int at, int length) {
            io.err().print(new String(bytes, at, length, java.nio.charset.StandardCharsets.UTF_8));
            io.err().flush();
        }
    }
}
