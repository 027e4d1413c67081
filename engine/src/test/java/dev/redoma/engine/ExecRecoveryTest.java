// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.Code;
import dev.redoma.model.ExecId;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Exec;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What becomes of commands when the server, or the guest, goes.
@Timeout(240)
class ExecRecoveryTest {
    GuestRig rig;

    @BeforeEach
    void open() throws Exception {
        rig = new GuestRig();
    }

    @AfterEach
    void close() throws Exception {
        rig.close();
    }

    private Exec end(Exec exec) {
        return rig.execs.await(GuestRig.CALLER, rig.id.value(), exec.id(), Duration.ofSeconds(20));
    }

    private String output(Exec exec) throws InterruptedException {
        var out = new ByteArrayOutputStream();
        try (var output = rig.execs.output(GuestRig.CALLER, rig.id.value(), exec.id(), 0, true, false)) {
            GuestRig.drain(output, out, out);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void not_a_byte_is_missing_or_repeated_after_restarts_of_the_server() throws Exception {
        var exec = rig.start("sh", "-c", "for i in $(seq 1 60); do seq $i 3000; sleep 0.02; done; exit 6");
        for (int i = 0; i < 3; i++) {
            Thread.sleep(300);
            rig.restart();
        }
        var expected = IntStream.rangeClosed(1, 60).mapToObj(i -> IntStream.rangeClosed(i, 3000).mapToObj(n -> n + "\n")
                .collect(Collectors.joining())).collect(Collectors.joining());
        assertThat(output(exec)).isEqualTo(expected);
        assertThat(end(exec).exitCode()).isEqualTo(6);
        assertThat(end(exec).droppedBytes()).isZero();
        await().until(() -> rig.get(exec).outputClosed());
    }

    @Test
    void an_exit_while_no_server_was_there_is_learned_afterwards() throws Exception {
        var exec = rig.start("sh", "-c", "sleep 0.3; echo while away; exit 9");
        rig.execs.close();
        rig.link.close();
        Thread.sleep(700);
        rig.restart();
        assertThat(output(exec)).isEqualTo("while away\n");
        assertThat(end(exec).exitCode()).isEqualTo(9);
    }

    @Test
    void a_reader_of_a_stopping_server_is_told_and_not_given_an_end() throws Exception {
        var exec = rig.start("sh", "-c", "echo begun; sleep 30");
        var seen = CompletableFuture.supplyAsync(() -> {
            try {
                return output(exec);
            } catch (RedomaException e) {
                return e.code().name();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        await().until(() -> rig.get(exec).outputBytes() > 0);
        rig.restart();
        assertThat(seen.join()).isEqualTo(Code.STOPPING.name());
        await().until(() -> rig.get(exec).state().equals("running"));
    }

    @Test
    void a_deadline_that_passed_meanwhile_is_kept_after_the_restart() throws Exception {
        var exec = rig.start(GuestRig.sh("echo A; sleep 50", 800L));
        rig.execs.close();
        rig.link.close();
        Thread.sleep(900);
        rig.restart();
        assertThat(end(exec).timedOut()).isTrue();
        assertThat(output(exec)).isEqualTo("A\n");
    }

    @Test
    void a_recovered_command_can_be_killed() throws Exception {
        var exec = rig.start("sleep", "371");
        rig.restart();
        assertThat(rig.execs.kill(GuestRig.CALLER, rig.id.value(), exec.id())).isTrue();
        assertThat(end(exec).killed()).isTrue();
    }

    @Test
    void one_that_was_recorded_but_never_reached_the_guest_is_lost() {
        var id = ExecId.mint();
        var facts = new ExecFacts(id, rig.id, "sha256:0", "default", "ky", GuestRig.spec("true"), "/", "root", Instant.now(), null);
        rig.store.write(tx -> {
            ExecRows.insert(tx, facts);
            return true;
        });
        rig.restart();
        var exec = rig.execs.await(GuestRig.CALLER, rig.id.value(), id.value(), Duration.ofSeconds(10));
        assertThat(exec.state()).isEqualTo("lost");
        assertThat(exec.exitCode()).isNull();
        assertThat(exec.reason()).isNotEmpty();
    }

    @Test
    void one_whose_sandbox_went_while_no_server_was_there_is_lost_with_that_reason() throws Exception {
        var exec = rig.start("sh", "-c", "echo last words; sleep 60");
        await().until(() -> rig.get(exec).outputBytes() > 0);
        rig.execs.close();
        rig.execs = new ExecService(rig, rig.store, rig.ledger, rig.dir, GuestRig.OUTPUT_BUDGET, java.time.Clock.systemUTC());
        rig.execs.gone(rig.id, "the host was restarted");
        assertThat(rig.get(exec).state()).isEqualTo("lost");
        assertThat(rig.get(exec).reason()).isEqualTo("the host was restarted");
        assertThat(rig.get(exec).exitCode()).isNull();
        assertThat(output(exec)).isEqualTo("last words\n");
    }

    @Test
    void ex05_when_the_guest_dies_waiters_learn_it_within_ten_seconds_and_never_get_zero() throws Exception {
        var exec = rig.start("sh", "-c", "echo A; sleep 60; exit 7");
        await().until(() -> rig.get(exec).outputBytes() > 0);
        long before = System.nanoTime();
        rig.crash();
        var end = end(exec);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(10));
        assertThat(end.state()).isEqualTo("lost");
        assertThat(end.exitCode()).isNull();
        assertThat(end.reason()).isEqualTo("init has ended");
        assertThat(output(exec)).isEqualTo("A\n");
    }

    @Test
    void ex31_a_command_for_a_dead_guest_ends_in_a_typed_error_in_time() {
        rig.crash();
        long before = System.nanoTime();
        var e = org.assertj.core.api.Assertions.catchThrowableOfType(RedomaException.class, () -> rig.start("true"));
        assertThat(e.code()).isEqualTo(Code.GUEST_UNREACHABLE);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(11));
    }

    @Test
    void what_came_after_the_exit_is_told_apart_also_when_the_command_left_memory() throws Exception {
        var exec = rig.start("sh", "-c", "echo at once; (sleep 0.5; echo late) & exit 0");
        await().until(() -> rig.get(exec).outputClosed());
        rig.restart();
        assertThat(output(exec)).isEqualTo("at once\n");
        var all = new ByteArrayOutputStream();
        try (var output = rig.execs.output(GuestRig.CALLER, rig.id.value(), exec.id(), 0, true, true)) {
            GuestRig.drain(output, all, all);
        }
        assertThat(all.toString(StandardCharsets.UTF_8)).isEqualTo("at once\nlate\n");
    }

    @Test
    void output_beyond_the_budget_costs_the_oldest_and_their_answers_say_so() throws Exception {
        var mib = 1 << 20;
        var first = rig.sh("head -c " + 18 * mib + " /dev/zero").exec();
        rig.sh("head -c " + 18 * mib + " /dev/zero");
        assertThat(output(first)).hasSize(18 * mib);
        var last = rig.sh("head -c " + 18 * mib + " /dev/zero").exec();
        await().until(() -> rig.get(first).outputBytes() == 0);
        assertThat(rig.get(first).droppedBytes()).isEqualTo(18L * mib);
        assertThat(output(first)).isEmpty();
        assertThat(output(last)).hasSize(18 * mib);
        assertThat(rig.get(last).droppedBytes()).isZero();
    }

    @Test
    void spools_go_with_their_sandbox() throws Exception {
        rig.sh("echo kept");
        var spools = rig.dir.resolve("spool").resolve(rig.id.value());
        assertThat(spools).isNotEmptyDirectory();
        rig.execs.forget(rig.id);
        assertThat(spools).doesNotExist();
    }
}
