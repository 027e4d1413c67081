// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b;

import dev.redoma.model.wire.Sandbox;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What E2B's protocols know of a sandbox and the engine does not. It stays with the sandbox as labels under a prefix of the server's own,
/// which metadata cannot begin with; a sandbox that has none of them was not made by these protocols, and is secured and closed.
///
/// `secure`: envd asks for a token. `publicTraffic`: ports but envd's are reached without one, where the operator lets it be so. `e2b`: it was made by these protocols. `maskRequestHost`: what `Host` is rewritten to
/// (may hold `${PORT}`).
public record Traits(boolean secure, boolean publicTraffic, @Nullable String maskRequestHost, boolean e2b) {
    /// Labels with this prefix are no metadata.
    public static final String PREFIX = "redoma.e2b/";

    private static final String SECURE = PREFIX + "secure";
    private static final String PUBLIC = PREFIX + "public-traffic";
    private static final String HOST = PREFIX + "mask-request-host";

    public static Traits of(Sandbox sandbox) {
        return of(sandbox.labels());
    }

    public static Traits of(Map<String, String> labels) {
        return new Traits(!"false".equals(labels.get(SECURE)), "true".equals(labels.get(PUBLIC)), labels.get(HOST), labels.containsKey(PUBLIC));
    }

    /// Of one that these protocols make.
    public Map<String, String> labels() {
        var labels = new LinkedHashMap<String, String>();
        if (!secure) {
            labels.put(SECURE, "false");
        }
        labels.put(PUBLIC, Boolean.toString(publicTraffic));
        if (maskRequestHost != null) {
            labels.put(HOST, maskRequestHost);
        }
        return labels;
    }

    /// The labels that the user gave.
    public static Map<String, String> metadata(Sandbox sandbox) {
        var metadata = new LinkedHashMap<String, String>();
        sandbox.labels().forEach((key, value) -> {
            if (!key.startsWith(PREFIX)) {
                metadata.put(key, value);
            }
        });
        return metadata;
    }
}
