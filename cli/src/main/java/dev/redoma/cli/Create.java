// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.NewSandbox;
import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Sandbox;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Creates a sandbox.
@Command(name = "create", description = "Create a sandbox and print its id.")
final class Create extends Verb {
    @Mixin
    NewFlags what = new NewFlags();

    @Option(names = {"-e", "--env"}, paramLabel = "NAME=VALUE", description = "An environment variable of every command; repeatable.")
    Map<String, String> env = Map.of();

    @Option(names = "--workspace", paramLabel = "git:URL#REF", description = "Have this cloned in the sandbox before it is handed out.")
    @Nullable String workspace;

    @Option(names = "--get", description = "Give the sandbox of that --name if it is there.")
    boolean get;

    @Option(names = "--idempotency-key", paramLabel = "KEY", description = "A repetition with the same key gives the same sandbox.")
    @Nullable String key;

    Create(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var request = new NewSandbox(what.request(env.isEmpty() ? null : env, get ? true : null, workspace));
        var box = create(client, request);
        if (json) {
            print(box);
        } else {
            io.line(box.id());
        }
        return Exit.OK;
    }

    /// Ended by Ctrl-C it leaves none behind whose id nobody was told; one that was there before, or that a key names, stays.
    private Sandbox create(RedomaClient client, NewSandbox request) {
        var made = new CompletableFuture<Sandbox>();
        try (var interrupted = OnInterrupt.of(made, box -> endNew(box, client))) {
            var box = client.create(request, key == null ? UUID.randomUUID().toString() : key);
            made.complete(box);
            return box;
        } catch (RuntimeException refused) {
            made.completeExceptionally(refused);
            throw refused;
        }
    }

    private void endNew(Sandbox box, RedomaClient client) {
        if (key == null && !Boolean.TRUE.equals(box.reused())) {
            client.sandbox(box.id()).kill();
        }
    }
}
