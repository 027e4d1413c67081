// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Secrets that are known by what stands around them: armour, URLs, and assignments in files that are made for secrets.
final class Lines {
    private static final int LONGEST_KEY = 64 * 1024;
    private static final int LONGEST_PASSWORD = 256;
    private static final byte[] END = Shape.bytes("-----END ");
    private static final byte[] PRIVATE = Shape.bytes("PRIVATE KEY");
    private static final boolean[] BODY = Shape.set("Aa0+/=\r\n\\ ");
    private static final boolean[] BASE64 = Shape.set("Aa0+/=-_");

    private static final Set<String> NAMES = Set.of(".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".envrc", ".bashrc", ".bash_profile", ".profile",
            ".zshrc", ".zshenv", ".pgpass", ".my.cnf", ".s3cfg", ".boto", "credentials", "credentials.json", "credentials.toml", "application_default_credentials.json",
            "accessTokens.json", "msal_token_cache.json", "access_tokens.db", ".dockercfg", "pip.conf", ".yarnrc", ".yarnrc.yml", "hosts.yml", "auth.json",
            "secrets.yaml", "secrets.yml", "secrets.json", "environment");
    private static final Pattern ASSIGNED = Pattern.compile(
            "(?i)(?:secret|token|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|client-key-data|credential|_auth|\"auth)[A-Za-z0-9_.-]{0,64}"
                    + "[\"']?[ \\t]{0,32}[=:][ \\t]{0,32}[\"']?([^\\s\"',;]{8,4096})");
    private static final Pattern NETRC = Pattern.compile("(?m)\\b(?:password|account)\\s{1,64}(\\S{4,256})");
    private static final Pattern PGPASS = Pattern.compile("(?m)^[^:#\\n]*:[^:\\n]*:[^:\\n]*:[^:\\n]*:(.{4,256})$");
    private static final Pattern PLACEHOLDER = Pattern.compile("(?i)[$<{%*(].*|x+|\\.+|true|false|null|none|undefined|changeme|required|optional");

    private Lines() {}

    /// The base64 between the lines of armour of a private key, on lines or with `\n` written out.
    static @Nullable Finding privateKey(String kind, byte[] text, int from, int end) {
        int line = from + 11;
        while (line < end && line < from + 80 && text[line] != '-' && text[line] != '\n') {
            line++;
        }
        if (!contains(text, from, Math.min(end, line), PRIVATE)) {
            return null;
        }
        while (line < end && text[line] == '-') {
            line++;
        }
        int body = line;
        int stop = body;
        int letters = 0;
        while (stop < end && stop - body < LONGEST_KEY && !begins(text, stop, end, END)) {
            letters += BODY[text[stop] & 0xFF] && text[stop] > ' ' ? 1 : 0;
            stop++;
        }
        while (stop > body && text[stop - 1] <= ' ') {
            stop--;
        }
        while (body < stop && (text[body] <= ' ' || text[body] == '\\' && body + 1 < stop && text[body + 1] == 'n')) {
            body += text[body] == '\\' ? 2 : 1;
        }
        return letters >= 40 ? new Finding(kind, body, stop) : null;
    }

    /// The password of `scheme://user:password@host`.
    static @Nullable Finding urlPassword(String kind, byte[] text, int from, int end) {
        int colon = -1;
        int limit = Math.min(end, from + 3 + 2 * LONGEST_PASSWORD);
        for (int at = from + 3; at < limit; at++) {
            byte b = text[at];
            if (b == '@') {
                return colon > from + 2 && at - colon > 4 && !placeholder(text, colon + 1, at) ? new Finding(kind, colon + 1, at) : null;
            }
            if (b <= ' ' || b == '/' || b == '"' || b == '\'' || b == '`' || b == '<' || b == ')') {
                return null;
            }
            if (b == ':' && colon < 0) {
                colon = at;
            }
        }
        return null;
    }

    /// Three parts, of which the first two are JSON: what has the look of it but no payload is some other base64.
    static @Nullable Finding jwt(String kind, byte[] text, int from, int end) {
        int at = Shape.inWord(text, from) ? from : part(text, from, end);
        if (at - from < 10 || !begins(text, at, end, Shape.bytes(".eyJ"))) {
            return null;
        }
        at = part(text, at + 1, end);
        if (at >= end || text[at] != '.') {
            return null;
        }
        int stop = part(text, at + 1, end);
        return stop - at > 10 ? new Finding(kind, from, stop) : null;
    }

    private static int part(byte[] text, int from, int end) {
        int at = from;
        while (at < end && at - from < LONGEST_KEY && BASE64[text[at] & 0xFF]) {
            at++;
        }
        return at;
    }

    /// What follows `Basic ` in a header: user and password in base64.
    static @Nullable Finding basic(String kind, byte[] text, int from, int end) {
        int start = from + 6;
        int stop = start;
        while (stop < end && stop - start < 4096 && BASE64[text[stop] & 0xFF]) {
            stop++;
        }
        if (stop - start < 12) {
            return null;
        }
        byte[] said = Base64Text.decoded(text, start, Base64Text.runEnd(text, start, stop));
        boolean printable = new String(said, StandardCharsets.ISO_8859_1).chars().allMatch(c -> c >= ' ' && c < 127);
        return printable && contains(said, 0, said.length, new byte[] {':'}) ? new Finding(kind, start, stop) : null;
    }

    /// Files in which an assignment to a name that speaks of a secret is one.
    static boolean made(String path, String name, ContentClass of) {
        String lower = name.toLowerCase(Locale.ROOT);
        return of == ContentClass.HISTORY || NAMES.contains(name) || lower.equals(".env") || lower.startsWith(".env.") || lower.endsWith(".env")
                || lower.endsWith(".tfvars") || lower.endsWith(".tfstate") || lower.startsWith("client_secret")
                || name.equals("config") && (path.endsWith("/.git/config") || path.endsWith("/.kube/config") || path.endsWith("/.aws/config"))
                || name.equals("config.json") && path.endsWith("/.docker/config.json") || path.contains("/.azure/") || path.contains("/gcloud/");
    }

    static List<Finding> assignments(String name, byte[] text, int end) {
        var found = new ArrayList<Finding>();
        String read = new String(text, 0, end, StandardCharsets.ISO_8859_1);
        collect(found, "assignment", ASSIGNED, 1, read, text);
        if (name.endsWith("netrc")) {
            collect(found, "netrc-password", NETRC, 1, read, text);
        }
        if (name.equals(".pgpass")) {
            collect(found, "pgpass", PGPASS, 1, read, text);
        }
        return found;
    }

    private static void collect(List<Finding> found, String kind, Pattern pattern, int group, String read, byte[] text) {
        var matcher = pattern.matcher(read);
        while (matcher.find()) {
            if (!placeholder(text, matcher.start(group), matcher.end(group))) {
                found.add(new Finding(kind, matcher.start(group), matcher.end(group)));
            }
        }
    }

    private static boolean placeholder(byte[] text, int from, int to) {
        return PLACEHOLDER.matcher(new String(text, from, to - from, StandardCharsets.ISO_8859_1)).matches();
    }

    private static boolean contains(byte[] text, int from, int to, byte[] wanted) {
        for (int at = from; at + wanted.length <= to; at++) {
            if (begins(text, at, to, wanted)) {
                return true;
            }
        }
        return false;
    }

    private static boolean begins(byte[] text, int at, int end, byte[] wanted) {
        return at + wanted.length <= end && Arrays.equals(text, at, at + wanted.length, wanted, 0, wanted.length);
    }
}
