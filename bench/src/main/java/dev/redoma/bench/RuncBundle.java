// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The bundle of one of our own sandboxes, with a root file system of the no-op alone and without what only our engine can give
/// (channel, mounts of ours), as `runc run` takes it: the same namespaces, mappings, seccomp filter, capabilities and limits.
final class RuncBundle {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path dir;

    private RuncBundle(Path dir) {
        this.dir = dir;
    }

    static RuncBundle of(Rig rig) throws IOException {
        try (var box = rig.client().create(dev.redoma.client.NewSandbox.from("tiny"))) {
            var config = (ObjectNode) JSON.readTree(Files.readAllBytes(rig.place().bundleOf(box.id())));
            ownNamespace((ObjectNode) config.get("linux"));
            return new RuncBundle(write(rig, config));
        }
    }

    /// Ours is made by the launcher, out of runc's sight: here runc makes one with the same map.
    private static void ownNamespace(ObjectNode linux) {
        for (var namespace : (ArrayNode) linux.get("namespaces")) {
            if ("user".equals(namespace.path("type").asString(""))) {
                ((ObjectNode) namespace).remove("path");
            }
        }
    }

    private static Path write(Rig rig, ObjectNode config) throws IOException {
        var dir = Files.createDirectories(rig.place().dir().resolve("runc"));
        var root = Files.createDirectories(dir.resolve("rootfs"));
        Files.copy(rig.floors().noop(), root.resolve("noop"), java.nio.file.StandardCopyOption.REPLACE_EXISTING, java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        Commands.quiet("chmod", "755", rig.place().dir().toString(), dir.toString());
        ((ObjectNode) config.get("process")).set("args", JSON.createArrayNode().add("/noop"));
        config.set("root", JSON.createObjectNode().put("path", root.toString()).put("readonly", false));
        ownBy(root, config);
        // The user namespace that ours is given exists only there: runc makes its own.
        config.path("linux").path("namespaces").forEach(namespace -> ((ObjectNode) namespace).remove("path"));
        var mounts = JSON.createArrayNode();
        for (var mount : (ArrayNode) config.get("mounts")) {
            if (!"bind".equals(mount.path("type").asString("")) && !mount.path("options").toString().contains("bind")) {
                mounts.add(mount);
            }
        }
        config.set("mounts", mounts);
        Files.write(dir.resolve("config.json"), JSON.writeValueAsBytes(config));
        return dir;
    }

    private static void ownBy(Path root, ObjectNode config) {
        var mapping = config.path("linux").path("uidMappings").path(0);
        if (!mapping.isMissingNode()) {
            Commands.quiet("chown", "-R", mapping.get("hostID").asString() + ":" + mapping.get("hostID").asString(), root.toString());
        }
    }

    void runOnce(String id) {
        Commands.quiet("runc", "run", "--bundle", dir.toString(), "redoma-" + ProcessHandle.current().pid() + "-" + id);
    }

    Samples times(int count) {
        var times = new double[count];
        for (int i = -2; i < count; i++) {
            long start = System.nanoTime();
            runOnce("t" + (i + 2));
            if (i >= 0) {
                times[i] = (System.nanoTime() - start) / 1e6;
            }
        }
        return new Samples(times);
    }
}
