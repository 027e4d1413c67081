// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import com.google.protobuf.ByteString;
import dev.redoma.engine.proto.Placed;
import dev.redoma.engine.proto.Trust;
import dev.redoma.pool.contents.JavaKeystore;
import java.util.Base64;
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
    /// Policies of browsers, which look at no bundle.
    static final String CHROMIUM = "/etc/chromium/policies/managed/redoma.json";
    static final String CHROME = "/etc/opt/chrome/policies/managed/redoma.json";
    /// Files that hold the authority and nothing else.
    static final List<String> COPIES = List.of(AUTHORITY, ANCHOR);
    private static final String LINKED = "/etc/ssl/certs/redoma";

    static final Pattern BLOCK = Pattern.compile("-----BEGIN CERTIFICATE-----[^-]++-----END CERTIFICATE-----\\n");
    private static final int MOST_FILES = 16;

    /// The distribution's Java looks there by itself; one that was brought along only where it is told.
    private static final String JAVA = "-Djavax.net.ssl.trustStore=" + JavaKeystore.PATH;

    /// httpx, uv, Ruby, Go, OpenSSL; requests and pip; curl built elsewhere; git built elsewhere; cargo; the AWS tools; gRPC; Node; Deno; Maven and Gradle by any Java.
    private static final Map<String, String> VARIABLES = new TreeMap<>(Map.ofEntries(
            Map.entry("SSL_CERT_FILE", BUNDLE),
            Map.entry("REQUESTS_CA_BUNDLE", BUNDLE),
            Map.entry("PIP_CERT", BUNDLE),
            Map.entry("CURL_CA_BUNDLE", BUNDLE),
            Map.entry("GIT_SSL_CAINFO", BUNDLE),
            Map.entry("CARGO_HTTP_CAINFO", BUNDLE),
            Map.entry("AWS_CA_BUNDLE", BUNDLE),
            Map.entry("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", BUNDLE),
            Map.entry("NODE_EXTRA_CA_CERTS", AUTHORITY),
            Map.entry("DENO_TLS_CA_STORE", "system,mozilla"),
            Map.entry("MAVEN_OPTS", JAVA),
            Map.entry("GRADLE_OPTS", JAVA)));

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
        List.of(CHROMIUM, CHROME).forEach(path -> message.addFiles(placed(path, browser(authority), 0644).toBuilder().setDirectory(true)));
        links(authority).forEach((path, to) -> message.addFiles(Placed.newBuilder().setPath(path).setLink(to)));
        return message.build();
    }

    /// Trusted no longer: what `message` placed goes.
    static Trust gone() {
        var message = Trust.newBuilder().setSubjectHash(SUBJECT_HASH);
        List.of(SUDOERS, PROFILE, ANCHOR, CHROMIUM, CHROME).forEach(path -> message.addFiles(Placed.newBuilder().setPath(path)));
        for (int i = 1; i <= MOST_FILES; i++) {
            message.addFiles(Placed.newBuilder().setPath(local(i))).addFiles(Placed.newBuilder().setPath(LINKED + "-" + i + ".pem"));
        }
        return message.build();
    }

    /// Where each leads. They are as those leave them who make the bundles anew.
    static Map<String, String> links(String authority) {
        var links = new TreeMap<>(Map.of(LINKED + ".pem", AUTHORITY, "/etc/ssl/certs/" + SUBJECT_HASH + ".0", "redoma.pem"));
        for (int i = 1; i <= others(authority).size(); i++) {
            links.put(LINKED + "-" + i + ".pem", local(i));
        }
        return links;
    }

    /// Chromium and what is made of it take authorities beside their own from what an administrator says.
    static String browser(String authority) {
        return certificates(authority, "").stream().map(c -> '"' + Base64.getEncoder().encodeToString(c) + '"').collect(Collectors.joining(",", "{\"CACertificates\":[", "]}\n"));
    }

    private static String local(int number) {
        return "/usr/local/share/ca-certificates/redoma-" + number + ".crt";
    }

    /// The certificates of a text that are not in another.
    static List<byte[]> certificates(String text, String without) {
        return BLOCK.matcher(text).results().map(java.util.regex.MatchResult::group).filter(b -> !without.contains(b)).map(b -> Base64.getMimeDecoder().decode(b.replaceAll("-----[A-Z ]+-----", ""))).toList();
    }

    /// What an operator adds to the sandbox's own authority, a file for each: what reads one certificate of a file finds them too. Where there are many, none.
    static Map<String, String> others(String authority) {
        var blocks = BLOCK.matcher(authority).results().skip(1).map(java.util.regex.MatchResult::group).toList();
        var files = new TreeMap<String, String>();
        for (int i = 0; i < blocks.size() && blocks.size() <= MOST_FILES; i++) {
            files.put(local(i + 1), blocks.get(i));
        }
        return files;
    }

    private static Placed placed(String path, String content, int mode) {
        return Placed.newBuilder().setPath(path).setContent(ByteString.copyFromUtf8(content)).setMode(mode).build();
    }
}
