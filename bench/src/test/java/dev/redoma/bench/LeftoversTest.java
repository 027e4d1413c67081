// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/// What a server that was killed and is never started again leaves on the host, and how it is told and ended.
@Timeout(180)
class LeftoversTest {

    private static Redoma.Result doctor(Lab lab, String... args) throws Exception {
        var redoma = Redoma.of(lab);
        var words = new java.util.ArrayList<>(List.of("doctor"));
        words.addAll(List.of(args));
        var command = redoma.command(words.toArray(String[]::new));
        command.add(1, "-Dredoma.home=" + RigPlace.checkout());
        command.add(1, "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
        return Redoma.run(redoma.builder(command).redirectInput(new File("/dev/null")));
    }

    private static JsonNode leftover(Lab lab, String installation) throws Exception {
        var said = doctor(lab, "--local", "--json");
        return Api.JSON.readTree(said.out()).get("findings").valueStream().filter(f -> f.get("area").asString().equals("leftovers") && f.get("name").asString().equals(installation)).findFirst().orElse(null);
    }

    @Test
    void whatAKilledServerLeftIsToldAndEndedByItsNameAloneAndNothingElseIs() throws Exception {
        try (var lab = Lab.start("leftovers")) {
            var installation = lab.rig().client().info().installation();
            var box = lab.tiny();
            box.start(List.of("sleep", "600"));
            assertThat(leftover(lab, installation)).as("a server serves it").isNull();
            var refused = doctor(lab, "--clean", installation);
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.err()).contains("serves " + lab.rig().place().data());
            assertThat(box.state()).isEqualTo("running");

            lab.killServer();
            var told = leftover(lab, installation);
            assertThat(told.get("status").asString()).isEqualTo("warn");
            assertThat(told.get("detail").asString()).contains(lab.rig().place().data().toString()).contains("no server serves");
            assertThat(told.get("fix").asString()).contains("redoma up --data").contains("redoma doctor --clean " + installation);
            assertThat(doctor(lab, "--clean", "0000000000").code()).as("nothing says that it is ours: a wrong argument").isEqualTo(2);
            assertThat(lab.rig().processes()).isPositive();

            var cleaned = doctor(lab, "--clean", installation);
            assertThat(cleaned.code()).as(cleaned.err()).isZero();
            assertThat(lab.rig().processes()).isZero();
            assertThat(lab.rig().place().mounts()).isEmpty();
            assertThat(leftover(lab, installation)).isNull();

            lab.startServer();
            try (var after = box.as(lab.api())) {
                assertThat(after.state()).as("the disk is there").isEqualTo("stopped");
                after.verb("start");
                assertThat(after.sh("echo back").text()).isEqualTo("back\n");
            }
        }
    }

    @Test
    void whereTheDataDirectoryIsGoneTooWhatRunsIsStillKnownAndEnded() throws Exception {
        try (var lab = Lab.start("given-up")) {
            var installation = lab.rig().client().info().installation();
            lab.tiny();
            lab.killServer();
            Files.delete(lab.rig().place().data().resolve("redoma.db"));
            var told = leftover(lab, installation);
            assertThat(told.get("detail").asString()).contains("its database is gone");
            var cleaned = doctor(lab, "--clean", installation, "--json");
            assertThat(cleaned.text()).as(cleaned.err()).contains(installation);
            assertThat(lab.rig().processes()).isZero();
            assertThat(lab.rig().cgroups()).isZero();
            assertThat(lab.rig().place().mounts()).isEmpty();
            assertThat(Path.of("/run/redoma-installations", installation + ".json")).doesNotExist();
        }
    }
}
