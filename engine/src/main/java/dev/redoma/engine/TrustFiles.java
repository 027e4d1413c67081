// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import com.google.protobuf.ByteString;
import dev.redoma.engine.proto.Placed;
import dev.redoma.engine.proto.Trust;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// How the programs of a sandbox whose policy intercepts come to trust its authority: files where they look, and variables for those that bring roots of their own. `sudo` keeps the
/// variables, and login shells set them.
final class TrustFiles {
    static final String BUNDLE = "/etc/ssl/certs/ca-certificates.crt";
    static final String AUTHORITY = "/usr/local/share/ca-certificates/redoma.crt";
    /// Of the one subject that all authorities of sandboxes have.
    static final String SUBJECT_HASH = "38b0e9fd";
    static final String SUDOERS = "/etc/sudoers.d/redoma";
    static final String PROFILE = "/etc/profile.d/redoma-trust.sh";
    static final String ANCHOR = "/etc/pki/ca-trust/source/anchors/redoma.crt";
    /// Files that hold the authority and nothing else.
    static final List<String> COPIES = List.of(AUTHORITY, "/etc/ssl/certs/redoma.pem", "/etc/ssl/certs/" + SUBJECT_HASH + ".0", ANCHOR);

    private static final Pattern BLOCK = Pattern.compile("-----BEGIN CERTIFICATE-----[^-]++-----END CERTIFICATE-----\\n");
    private static final int MOST_FILES = 16;

    /// httpx, uv, Ruby, Go, OpenSSL; requests and pip; curl built elsewhere; git built elsewhere; cargo; the AWS tools; gRPC; Node; Deno.
    private static final Map<String, String> VARIABLES = new TreeMap<>(Map.of(
            "SSL_CERT_FILE", BUNDLE,
            "REQUESTS_CA_BUNDLE", BUNDLE,
            "PIP_CERT", BUNDLE,
            "CURL_CA_BUNDLE", BUNDLE,
            "GIT_SSL_CAINFO", BUNDLE,
            "CARGO_HTTP_CAINFO", BUNDLE,
            "AWS_CA_BUNDLE", BUNDLE,
            "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", BUNDLE,
            "NODE_EXTRA_CA_CERTS", AUTHORITY,
            "DENO_TLS_CA_STORE", "system,mozilla"));

    private TrustFiles() {}

    /// For every process; what a sandbox or an exec says itself goes before it.
    static Map<String, String> variables() {
        return VARIABLES;
    }

    static String sudoers() {
        return "Defaults env_keep += \"" + String.join(" ", VARIABLES.keySet()) + "\"\n";
    }

    static String profile() {
        return VARIABLES.entrySet().stream().map(e -> "export " + e.getKey() + "=" + e.getValue() + "\n").collect(Collectors.joining());
    }

    static Trust message(String authority) {
        var message = Trust.newBuilder().setAuthority(ByteString.copyFromUtf8(authority)).setSubjectHash(SUBJECT_HASH)
                .addFiles(placed(SUDOERS, sudoers(), 0440)).addFiles(placed(PROFILE, profile(), 0644)).addFiles(placed(ANCHOR, authority, 0644));
        others(authority).forEach((path, certificate) -> message.addFiles(placed(path, certificate, 0644)));
        return message.build();
    }

    /// What an operator adds to the sandbox's own authority, a file for each: what reads one certificate of a file finds them too. Where there are many, none.
    static Map<String, String> others(String authority) {
        var blocks = BLOCK.matcher(authority).results().skip(1).map(java.util.regex.MatchResult::group).toList();
        var files = new TreeMap<String, String>();
        for (int i = 0; i < blocks.size() && blocks.size() <= MOST_FILES; i++) {
            files.put("/usr/local/share/ca-certificates/redoma-" + (i + 1) + ".crt", blocks.get(i));
            files.put("/etc/ssl/certs/redoma-" + (i + 1) + ".pem", blocks.get(i));
        }
        return files;
    }

    private static Placed placed(String path, String content, int mode) {
        return Placed.newBuilder().setPath(path).setContent(ByteString.copyFromUtf8(content)).setMode(mode).build();
    }
}
