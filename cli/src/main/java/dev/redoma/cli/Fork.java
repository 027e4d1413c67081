// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.ForkSandbox;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// A new sandbox from the disk of another.
@Command(name = "fork", description = "Create a sandbox from the disk of another as it is now, and print its id.")
final class Fork extends Verb {
    @Option(names = "--name", description = "A name for the new one.")
    @Nullable String name;

    @Option(names = "--label", paramLabel = "NAME=VALUE", description = "Labels instead of those of the source; repeatable.")
    Map<String, String> labels = Map.of();

    @Mixin
    VolumeFlags volumes = new VolumeFlags();

    @Mixin
    LimitFlags limits = new LimitFlags();

    @Parameters(index = "0", paramLabel = "SANDBOX")
    String sandbox = "";

    Fork(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var fork = SandboxName.in(client, sandbox).fork(new ForkSandbox(name, labels.isEmpty() ? null : labels, limits.limits(), volumes.volumes())).keep();
        if (json) {
            print(fork.state());
        } else {
            io.line(fork.id());
        }
        return Exit.OK;
    }
}
