// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.redoma.engine.proto.Closed;
import dev.redoma.engine.proto.Reply;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Exec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a guest that is not ours may say of a command.
@Timeout(60)
class HostileExecTest {
    GuestRig rig;
    java.nio.file.Path socket;

    @BeforeEach
    void open() throws Exception {
        rig = GuestRig.fake();
        socket = rig.dir.resolve("ch/guest.sock");
    }

    @AfterEach
    void close() throws Exception {
        rig.close();
    }

    private CompletableFuture<Exec> start() {
        return CompletableFuture.supplyAsync(() -> rig.start("true"));
    }

    /// The guest's end of a command that was started, and its child's.
    private FakeGuest begin(FakeGuest spare) {
        var id = spare.request().getExec().getId();
        assertThat(FakeGuest.childGoes(socket, id)).isTrue();
        return spare.started(0);
    }

    private static RedomaException failure(CompletableFuture<Exec> start) {
        return (RedomaException) catchThrowableOfType(CompletionException.class, start::join).getCause();
    }

    private Exec end(Exec exec) {
        return rig.execs.await(GuestRig.CALLER, rig.id.value(), exec.id(), Duration.ofSeconds(30));
    }

    @Test
    void the_child_may_go_only_when_the_record_is_durable() {
        try (var guest = FakeGuest.spare(socket)) {
            var exec = start();
            begin(guest);
            assertThat(rig.ledger.read("default", rig.id.value(), "exec", 0, 10)).hasSize(2);
            guest.exited(0).control(Reply.newBuilder().setClosed(Closed.getDefaultInstance()).build());
            assertThat(end(exec.join()).exitCode()).isZero();
        }
    }

    @Test
    void nonsense_in_place_of_a_start_is_a_typed_error_and_leaves_no_exec() {
        try (var guest = FakeGuest.spare(socket)) {
            var exec = start();
            guest.request();
            guest.frame(7, new byte[100]);
            assertThat(failure(exec).code()).isEqualTo(Code.GUEST_PROTOCOL);
            assertThat(rig.execs.list(GuestRig.CALLER, rig.id.value(), null, 10).items()).isEmpty();
        }
    }

    @Test
    void one_that_was_never_let_go_is_refused_when_its_sandbox_goes_though_the_guest_called_it_started() {
        try (var guest = FakeGuest.spare(socket)) {
            var exec = start();
            guest.request();
            guest.started(0);
            org.awaitility.Awaitility.await().until(() -> rig.execs.list(GuestRig.CALLER, rig.id.value(), null, 10).items().stream().anyMatch(e -> e.pid() != null));
            rig.execs.gone(rig.id, "init has ended");
            assertThat(failure(exec).code()).isEqualTo(Code.GUEST_UNREACHABLE);
            assertThat(rig.execs.list(GuestRig.CALLER, rig.id.value(), null, 10).items()).isEmpty();
            assertThat(rig.ledger.read("default", rig.id.value(), "exec", 0, 10)).hasSize(3);
        }
    }

    @Test
    @Tag("long")
    void a_guest_that_never_starts_it_is_given_up_in_time() {
        try (var guest = FakeGuest.spare(socket)) {
            long before = System.nanoTime();
            var exec = start();
            guest.request();
            assertThat(failure(exec).code()).isEqualTo(Code.GUEST_UNREACHABLE);
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(12));
            assertThat(guest.hungUp()).isTrue();
        }
    }

    @Test
    @Tag("long")
    void a_guest_that_hangs_up_and_never_comes_back_leaves_a_lost_exec_without_a_code() {
        try (var guest = FakeGuest.spare(socket)) {
            var exec = start();
            begin(guest).frame(2, "A".getBytes()).close();
            var end = end(exec.join());
            assertThat(end.state()).isEqualTo("lost");
            assertThat(end.exitCode()).isNull();
            assertThat(end.outputBytes()).isEqualTo(1);
        }
    }

    @Test
    void an_end_of_output_before_the_end_of_the_process_is_no_end() {
        try (var guest = FakeGuest.spare(socket)) {
            var exec = start();
            begin(guest).control(Reply.newBuilder().setClosed(Closed.getDefaultInstance()).build());
            assertThat(guest.hungUp()).isTrue();
            assertThat(rig.get(exec.join()).exitCode()).isNull();
            assertThat(rig.get(exec.join()).state()).isEqualTo("running");
        }
    }

    @Test
    void output_that_was_sent_before_is_not_taken_again() {
        var exec = start();
        try (var first = FakeGuest.spare(socket)) {
            begin(first).frame(2, "0123456789".getBytes());
            exec.join();
            org.awaitility.Awaitility.await().until(() -> rig.get(exec.join()).outputBytes() == 10);
        }
        try (var again = FakeGuest.spare(socket)) {
            assertThat(again.request().getAttach().getFrom()).isEqualTo(10);
            assertThat(again.started(3).hungUp()).isTrue();
        }
        try (var skipping = FakeGuest.spare(socket)) {
            skipping.request();
            skipping.started(25).frame(2, "z".getBytes()).exited(4).control(Reply.newBuilder().setClosed(Closed.getDefaultInstance()).build());
            var end = end(exec.join());
            assertThat(end.exitCode()).isEqualTo(4);
            assertThat(end.outputBytes()).isEqualTo(11);
            assertThat(end.droppedBytes()).isEqualTo(15);
        }
    }

    @Test
    void one_that_breaks_the_protocol_again_and_again_is_lost() {
        var exec = start();
        try (var first = FakeGuest.spare(socket)) {
            begin(first).frame(9, new byte[1]);
            exec.join();
        }
        for (int i = 0; i < 3; i++) {
            try (var again = FakeGuest.spare(socket)) {
                again.request();
                again.frame(9, new byte[1]);
                assertThat(again.hungUp()).isTrue();
            }
        }
        var end = end(exec.join());
        assertThat(end.state()).isEqualTo("lost");
        assertThat(end.exitCode()).isNull();
        assertThat(end.oomKilled()).as("the host counted it, whatever the guest says").isTrue();
        assertThat(end.cpuMs()).isEqualTo(7);
        assertThat(end.peakMemoryBytes()).isEqualTo(4096);
    }

    @Test
    void a_second_child_of_the_same_exec_is_not_let_go() {
        try (var guest = FakeGuest.spare(socket)) {
            var exec = start();
            begin(guest);
            assertThat(FakeGuest.childGoes(socket, exec.join().id())).isFalse();
        }
    }
}
