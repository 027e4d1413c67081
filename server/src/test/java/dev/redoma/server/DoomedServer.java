// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.ForkSandbox;
import java.nio.file.Path;

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
        verbs.deleteSnapshot(RealEngine.ALICE, "save");
        verbs.kill(RealEngine.ALICE, one.id());
        Runtime.getRuntime().halt(0);
    }
}
