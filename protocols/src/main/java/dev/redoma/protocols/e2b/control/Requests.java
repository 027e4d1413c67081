// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.http.Exchange;
import dev.redoma.http.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Bodies of requests about sandboxes, as the clients spell them. Fields that are not here are passed over.
final class Requests {
    private static final long LARGEST = 8L << 20;

    private Requests() {}

    /// None at all is as good as `{}`; the media type is not looked at.
    static <T> T body(Exchange http, Class<T> type) throws IOException {
        var bytes = http.body(LARGEST).readAllBytes();
        return Json.lenient(bytes.length == 0 ? "{}".getBytes(StandardCharsets.US_ASCII) : bytes, type);
    }

    public record NewSandbox(
            String templateID,
            @Nullable Long timeout,
            @Nullable Boolean autoPause,
            @Nullable Boolean autoPauseMemory,
            @Nullable AutoResume autoResume,
            @Nullable Boolean secure,
            @Nullable Boolean allow_internet_access,
            @Nullable Network network,
            @Nullable Map<String, String> metadata,
            @Nullable Map<String, String> envVars,
            @Nullable Map<String, @Nullable Object> mcp,
            @Nullable Map<String, @Nullable Object> iam,
            @Nullable List<Mount> volumeMounts,
            @Nullable Map<String, @Nullable Object> secrets) {}

    public record AutoResume(boolean enabled) {}

    public record Mount(String name, String path) {}

    public record Network(
            @Nullable Boolean allowPublicTraffic,
            @Nullable List<String> allowOut,
            @Nullable List<String> denyOut,
            @Nullable Map<String, @Nullable Object> egressProxy,
            @Nullable String maskRequestHost,
            @Nullable List<Integer> httpsPorts,
            @Nullable Map<String, @Nullable Object> rules,
            @Nullable Boolean allow_internet_access) {

        /// Of a change: who gets in is none.
        void unguarded() {
            var field = allowPublicTraffic != null ? "allowPublicTraffic" : maskRequestHost != null ? "maskRequestHost" : httpsPorts != null ? "httpsPorts" : null;
            if (field != null) {
                throw Egress.notOffered("network." + field, "it is fixed when a sandbox is made.", "Give it to create; PUT /sandboxes/{id}/network changes what it reaches.");
            }
        }
    }

    public record Timeout(long timeout) {}

    public record Refresh(@Nullable Long duration) {}

    /// Of pause, connect and resume; the last three are a derivative's.
    public record Waking(@Nullable Long timeout, @Nullable Boolean memory, @Nullable Boolean autoPause, @Nullable Boolean secure, @Nullable Boolean allowPublicTraffic,
            @Nullable Map<String, @Nullable Object> network) {}

    /// A derivative's.
    public record Reset(@Nullable Boolean resume, @Nullable Long timeout, @Nullable Boolean secure, @Nullable Boolean allowPublicTraffic, @Nullable Map<String, @Nullable Object> network) {}

    /// Who gets in is fixed when a sandbox is made: passed over, a caller would take for closed what is open.
    static void unguarded(@Nullable Boolean secure, @Nullable Boolean allowPublicTraffic, @Nullable Map<String, @Nullable Object> network) {
        var field = secure != null ? "secure" : allowPublicTraffic != null ? "allowPublicTraffic" : network != null ? "network" : null;
        if (field != null) {
            throw Egress.notOffered(field, "who reaches a sandbox is fixed when it is made.", "Give it to create; PUT /sandboxes/{id}/network changes what it reaches.");
        }
    }

    public record Fork(@Nullable Long timeout, @Nullable Integer count) {}

    public record NewSnapshot(@Nullable String name, @Nullable Boolean memory) {}
}
