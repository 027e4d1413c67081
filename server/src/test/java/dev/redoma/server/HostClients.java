// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.redoma.policy.Addresses;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// What this host's own clients of package registries are configured for, and whether they get there. `variables`: by which the same clients elsewhere are told the same.
record HostClients(Path dir, Map<String, String> variables) {
    /// What this host believes.
    private static final Path AUTHORITIES = Path.of("/etc/ssl/certs/ca-certificates.crt");
    private static final Path DISTRIBUTIONS = Path.of("/usr/share/ca-certificates/mozilla");
    private static final Pattern BLOCK = Pattern.compile("-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----");
    private static final int MOST = 16;

    static HostClients look(Path dir) throws Exception {
        var host = new HostClients(dir, new HashMap<>());
        host.told("PIP_INDEX_URL", "python3 -m pip config get global.index-url 2>/dev/null || python3 -c 'from pip._internal.models.index import PyPI; print(PyPI.simple_url)'");
        host.told("npm_config_registry", "npm config get registry");
        host.told("GOPROXY", "go env GOPROXY");
        return host;
    }

    private void told(String variable, String command) throws Exception {
        var told = run(command);
        if (told.code() == 0 && !told.out().isBlank()) {
            variables.put(variable, told.out().lines().reduce((a, b) -> b).orElseThrow().strip());
        }
    }

    BaseBox.Ran run(String command) throws Exception {
        var out = Files.createTempFile(dir, "host", ".out");
        var process = new ProcessBuilder("sh", "-c", "unset PIP_FIND_LINKS PIP_NO_INDEX; cd " + dir + "; " + command).redirectErrorStream(true).redirectOutput(out.toFile()).start();
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            return new BaseBox.Ran(-1, "no end within 120 s");
        }
        return new BaseBox.Ran(process.exitValue(), Files.readString(out));
    }

    /// What the host itself does not reach cannot be told from what the gateway does not let through.
    void reached(String command) throws Exception {
        var told = run(command);
        assumeTrue(told.code() == 0, () -> "not reached by this host itself: " + command + ": " + told.out());
    }

    /// The addresses of their registries that no policy takes for public: an operator would tell the server.
    TreeSet<String> notPublic() throws Exception {
        var files = run("python3 -c 'from pip._internal.models.index import PyPI; print(\"https://\" + PyPI.file_storage_domain)'").out();
        var lists = run("apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages'").out();
        var found = new TreeSet<String>();
        for (String url : Stream.concat(variables.values().stream().flatMap(v -> Stream.of(v.split("[,|]"))), Stream.concat(files.lines(), lists.lines().distinct())).toList()) {
            String name = url.contains("://") ? URI.create(url.strip()).getHost() : null;
            for (var address : name == null ? new InetAddress[0] : addresses(name)) {
                if (Addresses.kind(address).isPresent()) {
                    found.add(address.getHostAddress());
                }
            }
        }
        if (!found.isEmpty()) {
            System.out.println("not public here, and told to the server as public: " + found);
        }
        return found;
    }

    private static InetAddress[] addresses(String name) {
        try {
            return InetAddress.getAllByName(name);
        } catch (IOException unknown) {
            return new InetAddress[0];
        }
    }

    /// Whom this host believes and the distribution does not, in a file: an operator would name these. Empty: nobody, or too many to be meant.
    Optional<Path> authorities() throws Exception {
        var known = new HashSet<String>();
        try (var all = Files.list(DISTRIBUTIONS)) {
            for (var one : all.toList()) {
                known.add(Files.readString(one).replaceAll("\\s", ""));
            }
        }
        var more = BLOCK.matcher(Files.readString(AUTHORITIES)).results().map(MatchResult::group).filter(b -> !known.contains(b.replaceAll("\\s", ""))).toList();
        return more.isEmpty() || more.size() > MOST ? Optional.empty() : Optional.of(Files.write(dir.resolve("more.pem"), more));
    }
}
