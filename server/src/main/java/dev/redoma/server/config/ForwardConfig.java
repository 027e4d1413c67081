// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.config;

import dev.redoma.model.Problem;
import dev.redoma.model.wire.Finding;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Where evidence is sent as it comes to be: signed `heads`, and `records` (null: nowhere). `sealed`: with what is sealed in records, too.
public record ForwardConfig(@Nullable Target heads, @Nullable Target records, boolean sealed) {

    /// `headers`: a file of lines `Name: value` that each request carries, read anew each time. `allowPrivate`: it may lead to this host or a private address, and without TLS.
    public record Target(URI to, @Nullable Path headers, boolean allowPrivate) {
        @Override
        public String toString() {
            return to.getScheme() + "://" + to.getAuthority();
        }
    }

    static ForwardConfig of(ConfigValues v) {
        var records = target(v, ConfigKey.AUDIT_OTLP, ConfigKey.AUDIT_OTLP_HEADERS);
        return new ForwardConfig(target(v, ConfigKey.AUDIT_HEADS, ConfigKey.AUDIT_HEADS_HEADERS), records, v.flag(ConfigKey.AUDIT_OTLP_SEALED));
    }

    /// What `doctor` tells of it.
    public List<Finding> findings() {
        return Stream.of(finding("heads", heads, "audit.heads"), finding("records", records, "audit.otlp")).flatMap(List::stream).toList();
    }

    private static List<Finding> finding(String what, @Nullable Target to, String key) {
        return to == null ? List.of() : List.of(new Finding("ledger", what + " elsewhere", "ok", "sent to " + to + ", by " + key + " (whether they arrive is told by redoma_audit_forward_failing)", null));
    }

    private static @Nullable Target target(ConfigValues v, ConfigKey key, ConfigKey headers) {
        String to = v.optional(key);
        String file = v.optional(headers);
        if (to == null) {
            if (file != null) {
                throw Problem.field(headers.path(), "belongs to nothing", key.path() + " beside it");
            }
            return null;
        }
        boolean allowPrivate = v.flag(ConfigKey.AUDIT_FORWARD_PRIVATE);
        return new Target(WebAddress.of(to, key, allowPrivate, ConfigKey.AUDIT_FORWARD_PRIVATE, "takes nothing"), file == null ? null : Path.of(file), allowPrivate);
    }
}
