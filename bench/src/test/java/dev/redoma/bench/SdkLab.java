// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A server for clients that know nothing of ours, with two registries beside it, one of them locked: first as it is started by anybody, by plain HTTP; then as its operator gives
/// it a domain, by `redoma tls init` and what that says.
final class SdkLab implements AutoCloseable {
    static final String DOMAIN = "boxes.example.com";
    /// So small that a test can fill it.
    private static final String DISK = "1GiB";

    private final Path work;
    private final RegistryServer registry;
    private final RegistryServer locked;
    private final WildcardNames names;
    private final Lab lab;
    private final String registries;

    private SdkLab(Path work, RegistryServer registry, RegistryServer locked, WildcardNames names, Lab lab, String registries) {
        this.work = work;
        this.registry = registry;
        this.locked = locked;
        this.names = names;
        this.lab = lab;
        this.registries = registries;
    }

    static SdkLab start(Path work) throws IOException {
        var registry = RegistryServer.start();
        registry.push("shell", "v1", shell());
        var locked = RegistryServer.locked(work);
        locked.push("shell", "v1", shell());
        var registries = "registries:\n" + entry(registry) + entry(locked);
        var names = WildcardNames.serve(DOMAIN, work);
        var lab = Lab.start("sdks", options().withFile(registries));
        lab.base().close();
        return new SdkLab(work, registry, locked, names, lab, registries);
    }

    private static String entry(RegistryServer registry) {
        return "  - {host: \"" + registry.host() + "\", plain-http: true, allow-private: true}\n";
    }

    private static RigOptions options() {
        return RigOptions.standard().with("LIMITS_DEFAULT_DISK", DISK);
    }

    /// An image with a shell, and with a `bash` that is the same shell.
    private static TestImage shell() throws IOException {
        var tree = new LayerTar().dir("bin").file("bin/busybox", 0755, Files.readAllBytes(Path.of("/bin/busybox")));
        for (var applet : Commands.output("/bin/busybox", "--list").lines().filter(a -> !a.equals("busybox") && !a.equals("bash")).toList()) {
            tree.symlink("bin/" + applet, "busybox");
        }
        tree.file("bin/bash", 0755, "#!/bin/sh\nexec /bin/sh \"$@\"\n".getBytes(StandardCharsets.UTF_8)).dir("etc").dir("root").dir("tmp", 01777, 0).dir("home")
                .file("etc/passwd", "root:x:0:0:root:/root:/bin/sh\n").file("etc/group", "root:x:0:\n").file("etc/of-image", "shell\n");
        return new TestImage().config("Env", List.of("PATH=/usr/bin:/bin", "OF_IMAGE=yes")).gzip(tree);
    }

    /// How clients are started; nothing of theirs is changed but their environment.
    record Way(Map<String, String> environment, @Nullable WildcardNames names) {

        SdkPlace.Done run(Path dir, List<String> argv) {
            return SdkPlace.run(dir, names == null ? argv : names.around(argv), environment);
        }
    }

    private Map<String, String> environment() {
        var environment = new HashMap<String, String>();
        environment.put("E2B_API_KEY", lab.api().key());
        environment.put("NOVITA_API_KEY", lab.api().key());
        environment.put("PYTHONDONTWRITEBYTECODE", "1");
        environment.put("TEST_IMAGE", registry.host() + "/shell:v1");
        environment.put("TEST_LOCKED_IMAGE", locked.host() + "/shell:v1");
        environment.put("TEST_PASSWORD", RegistryServer.PASSWORD);
        return environment;
    }

    /// Two URLs (and a third for the content of volumes).
    Way plain() {
        var environment = environment();
        environment.put("E2B_API_URL", lab.api().base().toString());
        environment.put("E2B_SANDBOX_URL", lab.rig().router());
        environment.put("NOVITA_API_URL", lab.api().base().toString());
        environment.put("NOVITA_SANDBOX_URL", lab.rig().router());
        environment.put("E2B_VOLUME_API_URL", lab.api().base().toString());
        return new Way(environment, null);
    }

    /// The domain alone; who trusts its authority by the variables that `redoma tls init` names.
    Way tls() throws IOException {
        var said = Api.JSON.readTree(init());
        lab.restart(options().withFile(registries + "tls: {domain: " + DOMAIN + ", listen: \"" + names.address() + ":443\"}\n"));
        var environment = environment();
        environment.put("E2B_DOMAIN", DOMAIN);
        environment.put("NOVITA_DOMAIN", DOMAIN);
        environment.put("NODE_EXTRA_CA_CERTS", said.get("authority").asString());
        environment.put("SSL_CERT_FILE", said.get("authority").asString());
        return new Way(environment, names);
    }

    private String init() {
        var command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED",
                "-Dredoma.home=" + RigPlace.checkout(), "-cp", System.getProperty("java.class.path"), "dev.redoma.cli.Main"));
        command.addAll(List.of("tls", "init", "--json", "--domain", DOMAIN, "--data", lab.rig().place().data().toString()));
        var done = SdkPlace.run(work, command, Map.of());
        if (done.code() != 0) {
            throw new IllegalStateException("redoma tls init ended with " + done.code() + ": " + done.output());
        }
        return done.output().lines().filter(l -> l.startsWith("{")).findFirst().orElseThrow();
    }

    @Override
    public void close() {
        lab.close();
        names.close();
        locked.close();
        registry.close();
    }
}
