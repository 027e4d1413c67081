// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.redoma.engine.proto.Done;
import dev.redoma.engine.proto.FileInfo;
import dev.redoma.engine.proto.Hello;
import dev.redoma.engine.proto.Ping;
import dev.redoma.engine.proto.Reply;
import dev.redoma.engine.proto.Request;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a guest that is not ours may try on its channel, and that it gets nothing but an end of its own operation.
@Timeout(60)
class HostileGuestTest {
    private static final Request PING = Request.newBuilder().setPing(Ping.getDefaultInstance()).build();

    @TempDir Path dir;
    GuestLink link;
    Path socket;

    @BeforeEach
    void open() {
        link = GuestLink.listen(dir, 0);
        socket = dir.resolve("guest.sock");
    }

    @AfterEach
    void close() {
        link.close();
    }

    private void bind() {
        link.bind(new FakeGuest.Self(false));
    }

    /// What the host makes of what the guest answers to a ping.
    private RedomaException answer(Consumer<FakeGuest> behaviour) {
        bind();
        try (var guest = FakeGuest.spare(socket); var op = link.open(PING, Duration.ofSeconds(5))) {
            guest.request();
            behaviour.accept(guest);
            return catchThrowableOfType(RedomaException.class, () -> op.answer(Duration.ofSeconds(2), "ping"));
        }
    }

    @Test
    void the_socket_belongs_to_the_owner_alone() throws IOException {
        assertThat(Files.getPosixFilePermissions(socket).toString()).doesNotContain("GROUP").doesNotContain("OTHERS");
        try (var other = GuestLink.listen(Files.createDirectory(dir.resolve("b")), 1_879_048_192L)) {
            assertThat(Files.getAttribute(dir.resolve("b/guest.sock"), "unix:uid")).isEqualTo(1_879_048_192);
        }
    }

    @Test
    void a_frame_of_an_unknown_kind_ends_the_operation() {
        assertThat(answer(g -> g.frame(9, new byte[3])).code()).isEqualTo(Code.GUEST_PROTOCOL);
    }

    @Test
    void an_oversized_control_frame_ends_the_operation_before_it_is_read() {
        assertThat(answer(g -> g.header(0, 0xffffff)).code()).isEqualTo(Code.GUEST_PROTOCOL);
    }

    @Test
    void an_oversized_data_frame_ends_the_operation_before_it_is_read() {
        assertThat(answer(g -> g.header(4, 300 << 10)).code()).isEqualTo(Code.GUEST_PROTOCOL);
    }

    @Test
    void an_empty_data_frame_and_an_end_with_content_are_refused() {
        assertThat(answer(g -> g.header(4, 0)).code()).isEqualTo(Code.GUEST_PROTOCOL);
    }

    @Test
    void an_end_with_content_is_refused() {
        assertThat(answer(g -> g.frame(5, new byte[1])).code()).isEqualTo(Code.GUEST_PROTOCOL);
    }

    @Test
    void a_message_that_is_none_is_refused() {
        assertThat(answer(g -> g.frame(0, new byte[] {(byte) 0xff, (byte) 0xff, 1})).code()).isEqualTo(Code.GUEST_PROTOCOL);
    }

    @Test
    void data_where_an_answer_is_due_is_refused() {
        assertThat(answer(g -> g.frame(4, new byte[10])).code()).isEqualTo(Code.GUEST_PROTOCOL);
    }

    @Test
    void a_frame_that_never_comes_whole_ends_in_time() {
        assertThat(answer(g -> g.raw(0, 0)).code()).isEqualTo(Code.GUEST_UNREACHABLE);
    }

    @Test
    void a_frame_that_is_cut_is_refused() {
        assertThat(answer(g -> {
            g.raw(0, 0, 0, 9, 1);
            g.close();
        }).code()).isEqualTo(Code.GUEST_PROTOCOL);
    }

    @Test
    void silence_ends_in_time() {
        assertThat(answer(g -> {}).code()).isEqualTo(Code.GUEST_UNREACHABLE);
    }

    @Test
    void a_hang_up_without_an_answer_is_no_answer() {
        assertThat(answer(FakeGuest::close).code()).isEqualTo(Code.GUEST_UNREACHABLE);
    }

    @Test
    void words_of_a_guest_are_shown_without_control_characters_and_bounded() {
        var error = dev.redoma.engine.proto.Error.newBuilder().setCodeValue(77).setMessage("\u001b[2J" + "x".repeat(100_000));
        var e = answer(g -> g.control(Reply.newBuilder().setError(error).build()));
        assertThat(e.problem().message()).doesNotContain("\u001b").hasSizeLessThan(700);
    }

    @Test
    void nobody_is_heard_before_the_instance_is_known() {
        FakeGuest.spare(socket);
        assertThatThrownBy(() -> link.open(PING, Duration.ofMillis(300))).isInstanceOf(RedomaException.class);
        bind();
        link.awaitReady(Duration.ofSeconds(5));
    }

    @Test
    void a_process_of_another_sandbox_is_cut_off() throws Exception {
        bind();
        var script = "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.settimeout(5); sys.exit(s.recv(1) != b'')";
        var stranger = new ProcessBuilder("python3", "-c", script, socket.toString()).inheritIO().start();
        assertThat(stranger.waitFor()).isZero();
    }

    @Test
    void a_greeting_that_is_none_is_cut_off() {
        bind();
        assertThat(FakeGuest.dial(socket).raw(0x7f, 'E', 'L', 'F', 1, 1, 1).hungUp()).isTrue();
        assertThat(FakeGuest.dial(socket).control(Hello.newBuilder().setVersion(2).build()).hungUp()).isTrue();
        assertThat(FakeGuest.dial(socket).frame(0, new byte[4000]).hungUp()).isTrue();
        assertThat(FakeGuest.dial(socket).control(Hello.newBuilder().setVersion(1).setChildOf("ex1").build()).hungUp()).isTrue();
    }

    @Test
    void a_greeting_that_never_ends_is_cut_off() {
        bind();
        long before = System.nanoTime();
        assertThat(FakeGuest.dial(socket).raw(0, 0).hungUp()).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(8));
    }

    @Test
    void surplus_spares_are_closed() {
        bind();
        var spares = new ArrayList<FakeGuest>();
        for (int i = 0; i < 6; i++) {
            spares.add(FakeGuest.spare(socket));
        }
        // Greetings are read side by side: which came first is the host's to say.
        await().atMost(Duration.ofSeconds(30)).until(() -> spares.stream().filter(FakeGuest::hasHungUp).count() == 2);
        try (var seventh = FakeGuest.spare(socket)) {
            await().atMost(Duration.ofSeconds(30)).until(() -> spares.stream().filter(FakeGuest::hasHungUp).count() == 3);
            assertThat(seventh.hasHungUp()).as("the newest stays").isFalse();
        }
        spares.forEach(FakeGuest::close);
    }

    @Test
    void a_spare_that_broke_is_passed_over() throws Exception {
        bind();
        FakeGuest.spare(socket).close();
        link.awaitReady(Duration.ofSeconds(5));
        try (var good = FakeGuest.spare(socket); var op = link.open(PING, Duration.ofSeconds(5))) {
            good.request();
            good.control(Reply.newBuilder().setDone(Done.getDefaultInstance()).build());
            assertThat(op.answer(Duration.ofSeconds(2), "ping").hasDone()).isTrue();
        }
    }

    @Test
    void a_flood_of_connections_costs_the_host_nothing_that_stays() throws Exception {
        bind();
        long descriptors = descriptors();
        var stop = new AtomicBoolean();
        var flood = Thread.ofPlatform().start(() -> {
            while (!stop.get()) {
                try (var g = FakeGuest.dial(socket)) {
                    g.raw(0, 0, 0);
                } catch (java.io.UncheckedIOException full) {
                    Thread.onSpinWait();
                }
            }
        });
        Thread.sleep(1500);
        assertThat(descriptors()).isLessThan(descriptors + 200);
        stop.set(true);
        flood.join();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(descriptors()).isLessThanOrEqualTo(descriptors + 3));
        try (var good = FakeGuest.spare(socket); var op = link.open(PING, Duration.ofSeconds(10))) {
            good.request();
        }
    }

    private static long descriptors() throws IOException {
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    @Test
    void a_list_without_end_is_ended() {
        bind();
        var reply = Reply.newBuilder().setFile(FileInfo.newBuilder().setPath(com.google.protobuf.ByteString.copyFromUtf8("x"))).build();
        try (var guest = FakeGuest.spare(socket); var op = link.open(PING, Duration.ofSeconds(5))) {
            guest.request();
            var feeder = Thread.ofPlatform().start(() -> {
                try {
                    while (true) {
                        guest.control(reply);
                    }
                } catch (java.io.UncheckedIOException closed) {
                    // the host had enough
                }
            });
            var e = catchThrowableOfType(RedomaException.class, () -> FileFacts.all(op, Duration.ofSeconds(5), "/", 1000));
            assertThat(e.code()).isEqualTo(Code.GUEST_PROTOCOL);
            op.close();
            feeder.join(5000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
