// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import picocli.CommandLine.Mixin;

/// A verb about the server of this host, which need not be running.
abstract class HostVerb extends Verb {
    @Mixin
    ServerFlags flags = new ServerFlags();

    HostVerb(Io io) {
        super(io);
    }

    abstract int act() throws Exception;

    @Override
    public final Integer call() throws Exception {
        return act();
    }

    @Override
    final int run(RedomaClient client) {
        throw new IllegalStateException("asks no server");
    }
}
