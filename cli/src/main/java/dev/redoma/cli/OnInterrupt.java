// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.ClientException;

/// Does something when we are ended by Ctrl-C, TERM or HUP before `close`.
final class OnInterrupt implements AutoCloseable {
    private final Thread hook;

    OnInterrupt(Runnable action) {
        hook = new Thread(() -> {
            try {
                action.run();
            } catch (ClientException unreachable) {
                // Nobody is left to be told; the sandbox's own limits end it.
            }
        }, "interrupted");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // It is running already.
        }
    }
}
