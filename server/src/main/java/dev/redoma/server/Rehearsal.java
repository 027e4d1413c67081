// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A short life of a server, for the JDK to record an ahead-of-time cache from: a template, sandboxes with commands, the end. It is long
/// enough to tell what is hot: a server that starts from the cache compiles that at once instead of after some thousand calls. On a slow or busy
/// machine it is shorter. Leaves nothing on the host but the directory that it was given. Arguments: an empty directory, a root file system as a tar.
final class Rehearsal {
    private static final int ROUNDS = 40;
    private static final int COMMANDS = 50;
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final Pattern ID = Pattern.compile("\"id\":\"(sb[a-z0-9]{18})\"");
    private static final Pattern KEY = Pattern.compile("\"key\" ?: ?\"([^\"]+)\"");

    private final String url;
    private final String key;

    private Rehearsal(String url, String key) {
        this.url = url;
        this.key = key;
    }

    public static void main(String[] arguments) throws IOException {
        var dir = Path.of(arguments[0]).toAbsolutePath();
        var profile = dir.resolve("profile.json");
        System.setProperty(LogSetup.DIRECTORY, dir.toString());
        var house = House.open(
                new Options(dir.resolve("data"), dir.resolve("run"), Path.of(System.getProperty("redoma.home", ".")).toAbsolutePath(), "127.0.0.1:0", null, profile),
                Map.of("REDOMA_POOL_SIZE", "1GiB", "REDOMA_WARM_SIZE", "1", "REDOMA_DEFAULT_TEMPLATE", "tiny"));
        try {
            var found = KEY.matcher(Files.readString(profile));
            new Rehearsal(house.url(), found.find() ? found.group(1) : "").play(Files.readAllBytes(Path.of(arguments[1])));
        } finally {
            house.endAll();
            house.uninstall();
        }
    }

    private void play(byte[] tar) throws IOException {
        call("PUT", "/v1/templates/tiny", "application/x-tar", tar);
        long end = System.nanoTime() + LONGEST.toNanos();
        for (int i = 0; i < ROUNDS && (i == 0 || System.nanoTime() < end); i++) {
            var id = ID.matcher(call("POST", "/v1/sandboxes", "application/json", "{}".getBytes(StandardCharsets.UTF_8)));
            if (!id.find()) {
                throw new IOException("a sandbox without an id");
            }
            var box = "/v1/sandboxes/" + id.group(1);
            for (int command = 0; command < COMMANDS && (command == 0 || System.nanoTime() < end); command++) {
                call("POST", box + "/execs", "application/json", "{\"argv\":[\"echo\",\"hello\"]}".getBytes(StandardCharsets.UTF_8));
            }
            call("GET", "/v1/sandboxes", null, null);
            call("DELETE", box, null, null);
        }
    }

    private String call(String method, String path, @Nullable String type, byte @Nullable [] body) throws IOException {
        var connection = (HttpURLConnection) URI.create(url + path).toURL().openConnection();
        connection.setRequestMethod(method);
        connection.setReadTimeout(60_000);
        connection.setRequestProperty("Authorization", "Bearer " + key);
        if (path.endsWith("/execs")) {
            connection.setRequestProperty("Accept", "application/vnd.redoma.output");
        }
        if (body != null) {
            connection.setRequestProperty("Content-Type", type);
            connection.setDoOutput(true);
            connection.getOutputStream().write(body);
        }
        if (connection.getResponseCode() >= 300) {
            throw new IOException(method + " " + path + " was answered with " + connection.getResponseCode());
        }
        try (var in = connection.getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
