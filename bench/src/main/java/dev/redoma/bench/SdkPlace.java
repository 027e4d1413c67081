// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Where published packages are installed by the machine's own clients, as the lock files in the tree say. What was installed before is found
/// again by the content of its lock file; nothing is lost with it.
final class SdkPlace {
    private static final int MINUTES = 10;
    private static final java.util.Set<String> TRUST = java.util.Set.of("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_TLS_REJECT_UNAUTHORIZED");

    private final Path cache;
    private final Path scripts;

    /// `scripts`: what the test resources hold.
    SdkPlace(Path scripts) {
        this.scripts = scripts;
        var home = System.getenv("XDG_CACHE_HOME");
        cache = (home == null || home.isBlank() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(home)).resolve("redoma").resolve("sdks");
    }

    /// Whether the host has what the packages run on.
    static boolean offered() {
        return java.util.stream.Stream.of(List.of("node", "--version"), List.of("npm", "--version"), List.of("python3", "-c", "import ensurepip, venv")).allMatch(argv -> {
            try {
                var process = new ProcessBuilder(argv).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
                return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
            } catch (IOException absent) {
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        });
    }

    /// A folder that has the scripts and, beside them, `node_modules`.
    Path node(Path work) {
        var modules = installed("node", "package-lock.json", dir -> {
            copy("package.json", dir);
            copy("package-lock.json", dir);
            run(dir, List.of("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"));
        }).resolve("node_modules");
        try {
            var here = Files.createDirectories(work.resolve("node"));
            try (var all = Files.list(scripts)) {
                for (var script : all.filter(p -> p.toString().endsWith(".mjs")).toList()) {
                    Files.copy(script, here.resolve(script.getFileName()), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
                }
            }
            if (!Files.exists(here.resolve("node_modules"))) {
                Files.createSymbolicLink(here.resolve("node_modules"), modules);
            }
            return here;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The interpreter of an environment that has this version.
    Path python(String version) {
        var requirements = "requirements-" + version + ".txt";
        return installed("python", requirements, dir -> {
            copy(requirements, dir);
            run(dir, List.of("python3", "-m", "venv", dir.resolve("venv").toString()));
            run(dir, List.of(dir.resolve("venv/bin/pip").toString(), "install", "--quiet", "--no-input", "--disable-pip-version-check", "-r", requirements));
        }).resolve("venv/bin/python");
    }

    private interface Installing {
        void into(Path dir) throws IOException;
    }

    private Path installed(String kind, String lock, Installing installing) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(scripts.resolve(lock)));
            var dir = cache.resolve(kind + "-" + HexFormat.of().formatHex(digest, 0, 8));
            if (!Files.exists(dir.resolve("complete"))) {
                if (Files.exists(dir)) {
                    TinyTemplate.deleteTree(dir);
                }
                Files.createDirectories(dir);
                installing.into(dir);
                Files.createFile(dir.resolve("complete"));
            }
            return dir;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException absent) {
            throw new IllegalStateException(absent);
        }
    }

    private void copy(String name, Path to) throws IOException {
        Files.copy(scripts.resolve(name), to.resolve(name));
    }

    private static void run(Path dir, List<String> argv) {
        var done = run(dir, argv, Map.of());
        if (done.code() != 0) {
            throw new IllegalStateException(argv + " ended with " + done.code() + ":\n" + done.output());
        }
    }

    record Done(int code, String output) {}

    /// To its end, at most ten minutes; both streams in one. `environment`, where it is not empty, is all that it finds of variables that lead
    /// clients somewhere.
    static Done run(Path dir, List<String> argv, Map<String, String> environment) {
        try {
            var log = Files.createTempFile(dir, "run-", ".log");
            var builder = new ProcessBuilder(argv).directory(dir.toFile()).redirectErrorStream(true).redirectOutput(log.toFile());
            if (!environment.isEmpty()) {
                builder.environment().keySet().removeIf(name -> name.startsWith("E2B_") || name.startsWith("NOVITA_") || name.toLowerCase(java.util.Locale.ROOT).endsWith("_proxy") || TRUST.contains(name));
                builder.environment().putAll(environment);
            }
            var process = builder.start();
            process.getOutputStream().close();
            boolean ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
            if (!ended) {
                process.destroyForcibly();
            }
            var output = Files.readString(log, StandardCharsets.UTF_8);
            Files.delete(log);
            return new Done(ended ? process.exitValue() : -1, ended ? output : output + "\nnot done within " + MINUTES + " minutes");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted in " + argv, e);
        }
    }
}
