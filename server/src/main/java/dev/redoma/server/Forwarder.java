// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.gateway.CheckedPost;
import dev.redoma.model.RedomaException;
import dev.redoma.server.config.ForwardConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends what comes to be to one place, in order and at least once: what was not taken is sent again until it is, also by the next server. Thread-safe.
final class Forwarder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final List<Duration> AGAIN = List.of(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofMinutes(2));

    /// Where it comes from.
    interface Source {
        String name();

        /// What is due; null: nothing. Whoever has sent it says so.
        @Nullable Parcel due() throws IOException;

        record Parcel(String mediaType, byte[] body, Sent sent) {}

        interface Sent {
            void sent() throws IOException;
        }
    }

    private final Source source;
    private final ForwardConfig.Target to;
    private final CheckedPost post;
    private final List<Duration> again;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;
    private volatile boolean failing;
    private int failures;

    Forwarder(Source source, ForwardConfig.Target to, CheckedPost post, List<Duration> again) {
        this.source = source;
        this.to = to;
        this.post = post;
        this.again = List.copyOf(again);
        this.thread = Thread.ofVirtual().name("forward-" + source.name()).unstarted(this::run);
    }

    static Forwarder start(Source source, ForwardConfig.Target to, CheckedPost post) {
        var forwarder = new Forwarder(source, to, post, AGAIN);
        forwarder.thread.start();
        return forwarder;
    }

    /// Whether the last attempt failed.
    boolean failing() {
        return failing;
    }

    private void run() {
        try {
            while (!closing.await(wait(failures).toNanos(), TimeUnit.NANOSECONDS)) {
                all();
            }
        } catch (InterruptedException stopped) {
            return; // what is left is for the next server
        }
        if (failures == 0) {
            all(); // what the end of this server signed
        }
    }

    private Duration wait(int failures) {
        return failures == 0 ? LOOK : again.get(Math.min(failures, again.size()) - 1);
    }

    /// Until nothing is due, or something was not taken.
    void all() {
        try {
            for (var parcel = source.due(); parcel != null; parcel = source.due()) {
                int status = post.send(to.to(), HeaderFile.read(to.headers(), parcel.mediaType()), parcel.body());
                if (status / 100 != 2) {
                    throw new IOException("status " + status);
                }
                parcel.sent().sent();
            }
            if (failing) {
                LOG.info("{} are sent to {} again", source.name(), to);
            }
            failing = false;
            failures = 0;
        } catch (IOException | RedomaException failed) {
            if (!failing) {
                LOG.warn("{} cannot be sent to {} and wait: {}", source.name(), to, failed.getMessage());
            }
            failing = true;
            failures++;
        }
    }

    /// Waits for a last attempt, and not long.
    @Override
    public void close() throws InterruptedException {
        closing.countDown();
        if (thread.getState() != Thread.State.NEW && !thread.join(Duration.ofSeconds(10))) {
            thread.interrupt();
        }
    }
}
