// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// A real server with the templates `tiny` and `base`, for tests over the wire. Closing it ends everything and fails if anything stays.
final class Lab implements AutoCloseable {
    private final Rig rig;
    private final Map<String, Api> tenants = new ConcurrentHashMap<>();
    private boolean base;

    private Lab(Rig rig) {
        this.rig = rig;
    }

    static Lab start(String name) {
        return start(name, RigOptions.standard());
    }

    static Lab start(String name, RigOptions options) {
        var rig = Rig.start("test-" + name, options.with("TENANCY_SHARED_KERNEL", "true"));
        try {
            rig.importTiny();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Lab(rig);
    }

    Api api() {
        return new Api(URI.create(rig.url()), rig.key());
    }

    Rig rig() {
        return rig;
    }

    boolean isLong() {
        return System.getProperty("long") != null;
    }

    /// A key of another tenant, that may do all but operate.
    Api tenant(String name) {
        return tenants.computeIfAbsent(name, n -> api().as(api().post("/v1/keys", Map.of("name", n, "tenant", n, "scopes", List.of("read", "create", "exec")))
                .expect(201).json().get("value").asString()));
    }

    Box tiny() {
        return tiny(Map.of());
    }

    Box tiny(Map<String, ?> request) {
        return create("tiny", request);
    }

    Box base() {
        return base(Map.of());
    }

    synchronized Box base(Map<String, ?> request) {
        if (!base) {
            importBase();
            base = true;
        }
        return create("base", request);
    }

    private Box create(String template, Map<String, ?> request) {
        var all = new HashMap<String, Object>(Map.of("template", template));
        all.putAll(request);
        return Box.create(api(), all);
    }

    private void importBase() {
        try {
            var tar = rig.place().dir().resolve("base.tar.zst");
            Commands.patient(rig.place().home().resolve("template/base/build.sh").toString(), tar.toString());
            rig.client().templates().importTar("base", tar, (done, total) -> {});
            Files.delete(tar);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void killInit(Box box) {
        rig.place().initOf(box.id()).destroyForcibly();
    }

    /// How many TCP sockets listen in its network namespace.
    long listeners(Box box) {
        try {
            var net = Path.of("/proc/" + rig.place().initOf(box.id()).pid() + "/net");
            var sockets = new java.util.ArrayList<>(Files.readAllLines(net.resolve("tcp")));
            sockets.addAll(Files.readAllLines(net.resolve("tcp6")));
            return sockets.stream().filter(l -> l.trim().split(" +")[3].equals("0A")).count();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    boolean hasV2Io() {
        return Files.exists(Path.of("/sys/fs/cgroup/cgroup.controllers"));
    }

    void killServer() {
        rig.kill();
    }

    void stopServer() {
        rig.stop();
    }

    void startServer() {
        rig.startAgain();
    }

    /// Stops it and starts it with another configuration.
    void restart(RigOptions options) {
        rig.stop();
        rig.startAgain(options.with("TENANCY_SHARED_KERNEL", "true"));
    }

    void reboot() {
        rig.reboot();
    }

    String verifyLedger() {
        return api().post("/v1/audit/verify", Map.of()).expect(200).json().get("status").asString().toLowerCase(java.util.Locale.ROOT);
    }

    List<String> leftovers() {
        return rig.leftovers();
    }

    @Override
    public void close() {
        rig.close();
    }
}
