// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.gateway.CheckedDialler;
import dev.redoma.gateway.CheckedPost;
import dev.redoma.http.Json;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Approval;
import dev.redoma.server.config.ApprovalConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells the operator's web address of requests for approval, one after another: what it is about, not what is shown of it. Signed with the time; tried again a few times, then given up. Thread-safe.
final class ApprovalWebhook implements Consumer<Approval>, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ApprovalWebhook.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final List<Duration> AGAIN = List.of(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofMinutes(2));
    private static final int MOST = 1000;

    private final ApprovalConfig.@Nullable Webhook hook;
    private final CheckedPost post;
    private final List<Duration> again;
    private final DelayQueue<Delivery> queue = new DelayQueue<>();
    private final Thread sender = Thread.ofVirtual().name("approval-webhook").unstarted(this::send);

    private record Delivery(String approval, byte[] body, int tried, long due) implements Delayed {
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    ApprovalWebhook(ApprovalConfig.@Nullable Webhook hook, CheckedPost post, List<Duration> again) {
        this.hook = hook;
        this.post = post;
        this.again = List.copyOf(again);
        if (hook != null) {
            sender.start();
        }
    }

    static ApprovalWebhook of(ApprovalConfig config, CheckedDialler dialler) {
        var hook = config.webhook();
        return new ApprovalWebhook(hook, new CheckedPost(dialler, hook != null && hook.allowPrivate(), PATIENCE), AGAIN);
    }

    @Override
    public void accept(Approval a) {
        if (hook == null) {
            return;
        }
        if (queue.size() >= MOST) {
            LOG.warn("{} is not told of {}: {} deliveries wait already", hook, a.id(), MOST);
            return;
        }
        var about = new Told("approval", a.id(), a.tenant(), a.sandbox(), a.kind(), a.state(), a.rules(), a.needed(), a.decisions().size(), a.requestedBy(), a.requester(), a.createdAt(), a.expiresAt());
        queue.add(new Delivery(a.id(), Json.bytes(about), 0, System.nanoTime()));
    }

    /// What is sent.
    public record Told(
            String event, String approval, String tenant, String sandbox, String kind, String state, List<String> rules, int needed, int voices, String requestedBy, @Nullable String requester,
            Instant createdAt, Instant expiresAt) {}

    private void send() {
        try {
            while (true) {
                attempt(queue.take());
            }
        } catch (InterruptedException closed) {
            // that ends it
        }
    }

    private void attempt(Delivery delivery) {
        String why;
        try {
            int status = once(delivery);
            if (status / 100 == 2) {
                return;
            }
            why = "status " + status;
        } catch (IOException | RedomaException failed) {
            why = String.valueOf(failed.getMessage());
        }
        if (delivery.tried() < again.size()) {
            queue.add(new Delivery(delivery.approval(), delivery.body(), delivery.tried() + 1, System.nanoTime() + again.get(delivery.tried()).toNanos()));
        } else {
            LOG.warn("{} was not told of {}: {}", hook, delivery.approval(), why);
        }
    }

    private int once(Delivery delivery) throws IOException {
        var to = java.util.Objects.requireNonNull(hook);
        String time = Long.toString(Instant.now().getEpochSecond());
        return post.send(to.to(), Map.of("Content-Type", "application/json", "Redoma-Timestamp", time, "Redoma-Signature", "v1=" + signature(to.secret(), time, delivery.body())), delivery.body());
    }

    /// HMAC-SHA-256 over the time, a dot, and the body.
    static String signature(byte[] secret, String time, byte[] body) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            mac.update((time + ".").getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(mac.doFinal(body));
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException(absent);
        }
    }

    @Override
    public void close() {
        sender.interrupt();
    }
}
