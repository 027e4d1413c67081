// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What was opened, to be closed in reverse; one that fails to close does not keep the others open. Not thread-safe.
final class Opened implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Opened.class);

    private final Deque<AutoCloseable> stack = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T resource) {
        stack.push(resource);
        return resource;
    }

    @Override
    public void close() {
        while (!stack.isEmpty()) {
            var next = stack.pop();
            try {
                next.close();
            } catch (Exception failed) {
                LOG.warn("closing {}", next.getClass().getSimpleName(), failed);
            }
        }
    }
}
