// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.CreateVolume;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.VolumeMount;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.util.List;

/// A server process that goes through every verb and is killed by `redoma.fault` on its way. Arguments: directory, warm members.
final class DoomedServer {
    private DoomedServer() {}

    public static void main(String... args) throws Exception {
        var s = new RealEngine(Path.of(args[0]), Integer.parseInt(args[1]));
        var verbs = s.sandboxes();
        var one = s.create("one");
        Thread.sleep(Integer.parseInt(args[1]) > 0 ? 1500 : 0);
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
        verbs.deleteSnapshot(RealEngine.ALICE, "save");
        verbs.kill(RealEngine.ALICE, one.id());
        Runtime.getRuntime().halt(0);
    }

    private static void volumes(RealEngine s) throws Exception {
        var volumes = s.engine.volumes();
        volumes.create(RealEngine.ALICE, new CreateVolume("data", 16L << 20, null, null, null));
        volumes.resize(RealEngine.ALICE, "data", 32L << 20);
        s.sandboxes().create(RealEngine.ALICE, new CreateSandbox(null, "with", null, null, null, null, null, null, null, null, null, null,
                List.of(new VolumeMount("data", "/data", null)), null, null), null);
        s.sh("with", "echo kept > /data/kept; sync");
        volumes.create(RealEngine.ALICE, new CreateVolume("gone", 16L << 20, null, null, null));
        volumes.delete(RealEngine.ALICE, "gone");
    }
}
