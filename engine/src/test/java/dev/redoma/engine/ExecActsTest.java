// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.redoma.model.Caller;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.AuditRecord;
import dev.redoma.model.wire.Exec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What somebody does to a command that somebody else started is on record as theirs.
@Timeout(120)
class ExecActsTest {
    private static final Caller BOB = new Caller("kybbbbbbbbbbbbbbbbbb", TenantId.DEFAULT, Set.of(Scope.READ, Scope.EXEC));

    GuestRig rig;

    @BeforeEach
    void open() throws IOException {
        rig = new GuestRig();
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    private void type(Caller who, Exec exec, String text, boolean close) throws IOException {
        rig.execs.stdin(who, rig.id.value(), exec.id(), new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), close);
    }

    private List<AuditRecord> records(Exec exec) {
        return rig.ledger.read("default", rig.id.value(), "exec", 0, 1000).stream().filter(r -> exec.id().equals(r.exec())).toList();
    }

    private static String sha256(String text) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void who_wrote_into_a_command_and_how_much_is_on_record_before_and_after() throws Exception {
        var exec = rig.start(GuestRig.input("cat"));
        type(BOB, exec, "from ", false);
        type(BOB, exec, "bob\n", false);
        assertThat(records(exec)).filteredOn(r -> r.action().equals("input")).extracting(AuditRecord::actor).containsExactly(BOB.key());
        type(GuestRig.CALLER, exec, "mine\n", true);
        assertThat(rig.finish(exec).text()).isEqualTo("from bob\nmine\n");
        var totals = records(exec).stream().filter(r -> r.action().equals("input.total")).toList();
        assertThat(totals).extracting(AuditRecord::actor, r -> r.fields().get("bytes"), r -> r.fields().get("closed"), r -> r.fields().get("sha256"))
                .containsExactlyInAnyOrder(tuple(BOB.key(), 9L, false, sha256("from bob\n")), tuple(GuestRig.CALLER.key(), 5L, true, sha256("mine\n")));
        assertThat(records(exec)).extracting(AuditRecord::action).containsExactly("requested", "approved", "input", "input", "input.total", "input.total", "ended");
    }

    @Test
    void who_signals_and_who_kills_is_on_record_and_nobody_who_does_neither() throws Exception {
        var exec = rig.start("sleep", "1000");
        assertThat(rig.execs.signal(BOB, rig.id.value(), exec.id(), 28)).isTrue();
        assertThat(rig.execs.kill(BOB, rig.id.value(), exec.id())).isTrue();
        assertThat(rig.execs.await(BOB, rig.id.value(), exec.id(), Duration.ofSeconds(30)).killed()).isTrue();
        assertThat(rig.execs.kill(BOB, rig.id.value(), exec.id())).isFalse();
        assertThat(rig.execs.signal(BOB, rig.id.value(), exec.id(), 15)).isFalse();
        assertThat(records(exec)).extracting(AuditRecord::action, AuditRecord::actor).containsExactly(
                tuple("requested", GuestRig.CALLER.key()), tuple("approved", GuestRig.CALLER.key()), tuple("signal", BOB.key()), tuple("kill", BOB.key()),
                tuple("ended", GuestRig.CALLER.key()));
        assertThat(records(exec).get(2).fields().get("signal")).isEqualTo(28L);
    }

    @Test
    void who_kills_what_a_command_left_behind_is_on_record() throws Exception {
        var exec = rig.start(GuestRig.sh("sleep 1000 >/dev/null 2>&1 & echo left", null));
        assertThat(rig.finish(exec).text()).isEqualTo("left\n");
        assertThat(rig.execs.kill(BOB, rig.id.value(), exec.id())).isTrue();
        assertThat(records(exec).getLast()).extracting(AuditRecord::action, AuditRecord::actor).containsExactly("kill", BOB.key());
    }

    @Test
    void what_was_written_until_the_server_stopped_is_on_record_and_the_next_one_counts_anew() throws Exception {
        var exec = rig.start(GuestRig.input("cat"));
        type(BOB, exec, "before\n", false);
        rig.restart();
        type(BOB, exec, "after\n", true);
        assertThat(rig.finish(exec).text()).isEqualTo("before\nafter\n");
        assertThat(records(exec)).filteredOn(r -> r.action().equals("input.total"))
                .extracting(r -> r.fields().get("bytes"), r -> r.fields().get("until"), r -> r.fields().get("since"))
                .containsExactly(tuple(7L, "server-stop", null), tuple(6L, "end", "restart"));
    }
}
