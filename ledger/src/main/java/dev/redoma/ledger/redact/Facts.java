// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/// Of a record's fields those that the host itself established, or that people who are not the sandbox' said: a value that was registered for
/// a sandbox does not hide them, or whoever made it could keep from the record where it went, by which rule and with whose leave.
final class Facts {
    /// Fields that are not here are words.
    private static final Set<String> NAMES = Set.of("address", "apply", "approval", "attachment", "audience", "by", "changes", "class", "code", "count", "counts", "digest", "documents", "epoch", "exitCode",
            "expiresAt", "exposure", "flags", "forkedFrom", "found", "grant", "in", "inputSha256", "key", "kind", "kernel", "layer", "limit", "limits", "method", "mode", "of", "onTimeout", "outputSha256", "person", "policy", "policyDigest",
            "port", "privileges", "reason", "redactTokens", "reopen", "requestedBy", "requester", "rule", "rules", "runtime", "scope", "sha256", "signal", "snapshot", "state", "template", "templateDigest",
            "tier", "toKey", "toPerson", "toldBy", "until", "volume", "volumes", "why");
    private static final String HOST = "host";
    /// Labels of a name that is asked for: shorter ones are no place for a secret, and the last two say whose name it is.
    private static final int LABEL = 16;
    private static final int WHOSE = 2;

    private Facts() {}

    static Map<String, Object> masked(Map<String, Object> fields, Patterns patterns, Hits hits) {
        var out = new LinkedHashMap<String, Object>();
        fields.forEach((name, value) -> out.put(name, field(name, value, patterns, hits)));
        return out;
    }

    private static Object field(String name, Object value, Patterns patterns, Hits hits) {
        if (name.equals(HOST) && value instanceof String host) {
            return host(host, patterns, hits);
        }
        return Masks.masked(value, NAMES.contains(name) ? Patterns.shapes() : patterns, hits);
    }

    private static String host(String name, Patterns patterns, Hits hits) {
        var labels = name.split("\\.", -1);
        for (int i = 0; i < labels.length - WHOSE; i++) {
            labels[i] = labels[i].length() < LABEL ? labels[i] : patterns.mask(labels[i], hits);
        }
        return String.join(".", labels);
    }
}
