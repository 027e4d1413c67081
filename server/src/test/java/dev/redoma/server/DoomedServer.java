// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.model.Caller;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.CreateVolume;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.NewWorkspace;
import dev.redoma.model.wire.StartBuild;
import dev.redoma.model.wire.VolumeMount;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/// A server process that goes through every verb and is killed by `redoma.fault` on its way. Arguments: directory, warm members.
final class DoomedServer {
    private DoomedServer() {}

    public static void main(String... args) throws Exception {
        var s = new RealEngine(Path.of(args[0]), Integer.parseInt(args[1]));
        var verbs = s.sandboxes();
        var one = s.create("one");
        claim(s, Integer.parseInt(args[1]));
        s.create("two");
        s.sh("one", "echo kept > /root/kept; sync");
        verbs.snapshot(RealEngine.ALICE, "one", new CreateSnapshot("save", null));
        verbs.pause(RealEngine.ALICE, "one");
        verbs.resume(RealEngine.ALICE, "one");
        verbs.stop(RealEngine.ALICE, "one");
        verbs.start(RealEngine.ALICE, "one");
        verbs.fork(RealEngine.ALICE, "one", new ForkSandbox("fork", null, null), null);
        verbs.reset(RealEngine.ALICE, "two");
        volumes(s);
        verbs.snapshot(RealEngine.ALICE, "fork", new CreateSnapshot("of-a-fork", null));
        s.engine.templates().importTar(RealEngine.OPERATOR, "brief:v1", new ByteArrayInputStream(TinyRoot.only("brief")), p -> {});
        s.engine.templates().delete(RealEngine.OPERATOR, "brief");
        image(s, Path.of(args[0]));
        verbs.deleteSnapshot(RealEngine.ALICE, "save");
        verbs.kill(RealEngine.ALICE, one.id());
        build(s, RealEngine.OPERATOR, "built", "FROM tiny");
        build(s, new Caller("kyalice", RealEngine.ALICE.tenant(), Set.of(Scope.OPERATE)), "on-saved", "FROM of-a-fork");
        Runtime.getRuntime().halt(0);
    }

    /// One that was started ahead, once there is one.
    private static void claim(RealEngine s, int ahead) throws InterruptedException {
        boolean claimed = ahead == 0;
        for (int i = 0; i < 40 && !claimed; i++) {
            Thread.sleep(1500);
            claimed = s.create("ahead-" + i).warm();
        }
    }

    /// Of one layer, as `docker save` writes it.
    private static void image(RealEngine s, Path dir) throws Exception {
        var place = Files.createDirectories(dir.resolve("image/tree"));
        Files.writeString(place.resolve("of-image"), "kept");
        run(dir.resolve("image"), "tar", "--owner=0", "--group=0", "-cf", "layer.tar", "-C", "tree", ".");
        var layer = Files.readAllBytes(dir.resolve("image/layer.tar"));
        var diff = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(layer));
        Files.writeString(dir.resolve("image/config.json"), "{\"os\":\"linux\",\"architecture\":\"amd64\",\"rootfs\":{\"diff_ids\":[\"sha256:" + diff + "\"]}}");
        Files.writeString(dir.resolve("image/manifest.json"), "[{\"Config\":\"config.json\",\"Layers\":[\"layer.tar\"]}]");
        run(dir.resolve("image"), "tar", "-cf", "image.tar", "manifest.json", "config.json", "layer.tar");
        try (var tar = Files.newInputStream(dir.resolve("image/image.tar"))) {
            s.engine.templates().importTar(RealEngine.OPERATOR, "image", tar, p -> {});
        }
    }

    private static void build(RealEngine s, Caller caller, String name, String from) throws Exception {
        var builds = s.engine.builds();
        var build = builds.start(caller, name, new StartBuild(null, from + "\nUSER root\nRUN echo made > /made\n", null, null, null, null));
        try (var log = builds.log(caller, build.id(), 0)) {
            while (log.next(Duration.ofSeconds(1)) != null) {
                // to its end
            }
        }
        System.out.println(builds.get(caller, build.id()));
    }

    private static void run(Path in, String... command) throws Exception {
        if (new ProcessBuilder(command).directory(in.toFile()).inheritIO().start().waitFor() != 0) {
            throw new IllegalStateException(String.join(" ", command));
        }
    }

    private static void volumes(RealEngine s) throws Exception {
        var volumes = s.engine.volumes();
        volumes.create(RealEngine.ALICE, new CreateVolume("data", 16L << 20, null, null, null));
        volumes.resize(RealEngine.ALICE, "data", 32L << 20);
        s.sandboxes().create(RealEngine.ALICE, new CreateSandbox(null, "with", null, null, null, null, null, null, null, null, null, null,
                List.of(new VolumeMount("data", "/data", null)), null, null), null);
        s.sh("with", "echo kept > /data/kept; sync");
        caches(s);
        volumes.create(RealEngine.ALICE, new CreateVolume("gone", 16L << 20, null, null, null));
        volumes.delete(RealEngine.ALICE, "gone");
    }

    private static void caches(RealEngine s) throws Exception {
        s.sandboxes().create(RealEngine.ALICE, new CreateSandbox(null, "cached", null, null, null, null, null, null, null, null, null, null,
                null, List.of("pip"), null), null);
        s.sh("cached", "echo kept > $PIP_CACHE_DIR/kept; sync");
        s.engine.caches().promote(RealEngine.OPERATOR, s.sandboxes().get(RealEngine.ALICE, "cached").id(), "pip");
        s.engine.caches().promote(RealEngine.OPERATOR, s.sandboxes().get(RealEngine.ALICE, "cached").id(), "pip");
        try {
            s.sandboxes().create(RealEngine.ALICE, new CreateSandbox(null, "cloned", null, null, null, null, null, null, null, null, null, null,
                    null, null, new NewWorkspace("git:file:///none", null)), null);
            throw new IllegalStateException("there is no git in it");
        } catch (RedomaException noGit) {
            // what it waits for lies on the way there
        }
    }
}
