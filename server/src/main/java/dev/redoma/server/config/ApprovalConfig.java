// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.config;

import dev.redoma.model.Amounts;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// How humans are asked: `hold` is how long a call waits for them before it is told that a request is pending, `egressHold` how long a connection out of a sandbox does. `webhook` null: nobody is told.
public record ApprovalConfig(Duration hold, Duration egressHold, @Nullable Webhook webhook) {
    private static final Duration MOST = Duration.ofMinutes(1);
    private static final Duration MOST_EGRESS = Duration.ofSeconds(50);
    private static final int SECRET = 32;

    /// Its text form does not tell the secret.
    public record Webhook(URI to, byte[] secret, boolean allowPrivate) {
        public Webhook {
            secret = secret.clone();
        }

        @Override
        public String toString() {
            return to.getScheme() + "://" + to.getHost();
        }
    }

    static ApprovalConfig of(ConfigValues v) {
        return new ApprovalConfig(bounded(v, ConfigKey.APPROVALS_HOLD, MOST), bounded(v, ConfigKey.APPROVALS_HOLD_EGRESS, MOST_EGRESS), webhook(v));
    }

    private static Duration bounded(ConfigValues v, ConfigKey key, Duration most) {
        var time = v.duration(key);
        if (time.compareTo(most) > 0) {
            throw Problem.field(key.path(), "is " + Amounts.time(time), "at most " + Amounts.time(most));
        }
        return time;
    }

    private static @Nullable Webhook webhook(ConfigValues v) {
        String to = v.optional(ConfigKey.APPROVALS_WEBHOOK);
        if (to == null) {
            return null;
        }
        boolean allowPrivate = v.flag(ConfigKey.APPROVALS_WEBHOOK_PRIVATE);
        return new Webhook(WebAddress.of(to, ConfigKey.APPROVALS_WEBHOOK, allowPrivate, ConfigKey.APPROVALS_WEBHOOK_PRIVATE, "cannot be told anything"), secret(v.optional(ConfigKey.APPROVALS_WEBHOOK_SECRET)), allowPrivate);
    }

    private static byte[] secret(@Nullable String file) {
        String key = ConfigKey.APPROVALS_WEBHOOK_SECRET.path();
        if (file == null) {
            throw Problem.field(key, "is missing", "the path of a file with a secret of at least " + SECRET + " characters");
        }
        try {
            var secret = Files.readString(Path.of(file)).strip();
            if (secret.length() < SECRET) {
                throw Problem.field(key, file + " has a secret of " + secret.length() + " characters", "at least " + SECRET);
            }
            return secret.getBytes(StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw Problem.field(key, file + " cannot be read: " + unreadable.getMessage(), "the path of a readable file");
        }
    }
}
