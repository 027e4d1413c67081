// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static dev.redoma.server.RealEngine.ALICE;
import static dev.redoma.server.RealEngine.ALL;
import static dev.redoma.server.RealEngine.OPERATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.ledger.Verdict;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.Volume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A server process is ended in the middle of a verb, without any clean-up; the next one finishes or undoes what it finds.
class KilledAtAnyInstantTest {
    private Path dir;

    @BeforeEach
    void prepare() throws IOException {
        dir = Files.createTempDirectory(Path.of("/tmp"), "rdk");
        try (var server = new RealEngine(dir, 0)) {
            server.importTiny();
        }
    }

    @AfterEach
    void clean() throws IOException {
        Leftovers.remove(dir);
    }

    @ParameterizedTest
    @ValueSource(strings = {"create.started", "snapshot.taken", "snapshot.scrubbed", "pause.frozen", "reset.ended", "kill.ended", "volume.made", "cache.copied", "template.imported", "layer.unused", "image.unpacked", "image.layers", "build.begun",
        "build.layer"})
    void nothingIsHalfDoneNorLost(String instant) throws Exception {
        killedAt(instant, 0);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"create.begun", "start.created", "snapshot.begun", "snapshot.copied", "pause.begun", "resume.begun", "stop.begun", "stop.ended", "start.begun",
        "reset.begun", "snapshot.removed", "kill.begun", "kill.disk", "volume.begun", "volume.resizing", "volume.deleting", "volume.removed", "cache.begun", "workspace.begun", "build.saved"})
    void norAtAnyOther(String instant) throws Exception {
        killedAt(instant, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"claim.inserted"})
    void aHandOverIsWholeAndMembersLeftBehindGo(String instant) throws Exception {
        killedAt(instant, 1);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"warm.begun", "warm.ready"})
    void norIsAnyOfThoseThatWereNotHandedOver(String instant) throws Exception {
        killedAt(instant, 1);
    }

    private void killedAt(String instant, int warm) throws Exception {
        assertThat(doomed(instant, warm)).as("killed at " + instant).isEqualTo(137);
        var server = new RealEngine(dir, 0);
        try {
            await().atMost(Duration.ofSeconds(40)).untilAsserted(() -> {
                assertThat(server.count("SELECT count(*) FROM sandbox WHERE target IS NOT NULL OR state = 'creating'")).isZero();
                assertThat(server.count("SELECT count(*) FROM snapshot WHERE target IS NOT NULL")).isZero();
                assertThat(server.count("SELECT count(*) FROM volume WHERE target IS NOT NULL")).isZero();
                assertThat(server.count("SELECT count(*) FROM sandbox WHERE name = 'cloned' AND state <> 'ended'")).isZero();
                assertThat(server.count("SELECT count(*) FROM uid_range WHERE owner LIKE 'warm:%'")).isZero();
                assertThat(server.count("SELECT count(*) FROM build WHERE state IN ('queued', 'running')")).isZero();
            });
            for (Sandbox box : server.sandboxes().list(ALICE, ALL).items()) {
                usable(server, box);
            }
            assertThat(server.ledger.verify().status()).isNotEqualTo(Verdict.Status.FAILED);
            server.sandboxes().snapshots(ALICE, null).forEach(s -> server.sandboxes().deleteSnapshot(ALICE, s.id()));
            server.sandboxes().killAll(OPERATOR, null);
            server.engine.templates().list(OPERATOR).stream().filter(t -> List.of("brief", "built", "on-saved").contains(t.name())).forEach(t -> server.engine.templates().delete(OPERATOR, t.digest()));
            server.engine.caches().clear(ALICE, null, null);
            for (Volume volume : server.engine.volumes().list(ALICE, Map.of())) {
                assertThat(volume.state()).isEqualTo("ready");
                server.engine.volumes().delete(ALICE, volume.id());
            }
            await().atMost(Duration.ofSeconds(40)).untilAsserted(() -> assertThat(leftBy(server)).isEmpty());
        } finally {
            server.sandboxes().killAll(OPERATOR, null);
            server.uninstall();
        }
        // A loop device frees itself when the file system has let go of it.
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(Leftovers.of(dir)).isEmpty());
    }

    private static void usable(RealEngine server, Sandbox box) throws InterruptedException {
        String state = server.sandboxes().get(ALICE, box.id()).state();
        assertThat(state).isIn("running", "paused", "stopped");
        switch (state) {
            case "paused" -> server.sandboxes().resume(ALICE, box.id());
            case "stopped" -> server.sandboxes().start(ALICE, box.id());
            default -> {}
        }
        assertThat(server.sh(box.id(), "echo ok")).isEqualTo("ok\n");
        if ("cached".equals(box.name())) {
            assertThat(server.sh(box.id(), "echo more >> $PIP_CACHE_DIR/more; cat $PIP_CACHE_DIR/more")).isEqualTo("more\n");
        }
        if ("with".equals(box.name())) {
            assertThat(server.sh(box.id(), "echo more >> /data/more; cat /data/more")).isEqualTo("more\n");
        }
        if ("fork".equals(box.name())) {
            assertThat(server.sh(box.id(), "cat /root/kept")).isEqualTo("kept\n");
        }
    }

    private static List<String> leftBy(RealEngine server) {
        var left = new ArrayList<String>();
        server.tier.all().forEach(ref -> left.add("instance " + ref.name()));
        server.pool.disks().forEach(disk -> left.add("disk " + disk));
        server.pool.snapshots().forEach(saved -> left.add("saved disk " + saved));
        server.pool.volumes().list().forEach(volume -> left.add("volume " + volume));
        server.pool.layers().stream().filter(l -> server.count("SELECT count(*) FROM template WHERE name IN ('tiny', 'image') AND layers LIKE '%" + l.value() + "%'") == 0)
                .forEach(layer -> left.add("layer " + layer));
        if (server.count("SELECT count(*) FROM uid_range") > 0) {
            left.add("uid ranges");
        }
        return left;
    }

    private int doomed(String instant, int warm) throws Exception {
        var command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "--enable-native-access=ALL-UNNAMED",
                "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dredoma.fault=" + instant,
                "-Dredoma.root=" + System.getProperty("redoma.root", ".."), "-cp", System.getProperty("java.class.path"), DoomedServer.class.getName()));
        command.addAll(List.of(dir.toString(), "" + warm));
        var log = dir.resolve("doomed.log");
        var process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            if (!process.waitFor(90, TimeUnit.SECONDS)) {
                throw new AssertionError("it never came to " + instant + ":\n" + Files.readString(log));
            }
        } finally {
            process.destroyForcibly();
        }
        if (process.exitValue() != 137) {
            throw new AssertionError("exit " + process.exitValue() + ":\n" + Files.readString(log));
        }
        return process.exitValue();
    }
}
