// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.Tty;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Output that is kept, read again and followed; input; terminals.
@Timeout(240)
class ExecStreamTest {
    static GuestRig rig;

    @BeforeAll
    static void open() throws IOException {
        rig = new GuestRig();
    }

    @AfterAll
    static void close() throws IOException {
        rig.close();
    }

    private static byte[] from(Exec exec, long offset, boolean follow) throws InterruptedException {
        var out = new ByteArrayOutputStream();
        try (var output = rig.execs.output(GuestRig.CALLER, rig.id.value(), exec.id(), offset, follow, false)) {
            GuestRig.drain(output, out, out);
        }
        return out.toByteArray();
    }

    private static String lines(int n) {
        return IntStream.rangeClosed(1, n).mapToObj(i -> i + "\n").collect(Collectors.joining());
    }

    @Test
    void ex11_any_offset_gives_the_rest_without_gap_or_repetition() throws Exception {
        var done = rig.run(GuestRig.spec("seq", "1", "300000"));
        assertThat(done.text()).isEqualTo(lines(300_000));
        var whole = done.text();
        for (long offset : new long[] {0, 1, 65_535, 65_536, 1_000_001, whole.length() - 1, whole.length(), whole.length() + 5L}) {
            var rest = offset > whole.length() ? "" : whole.substring((int) offset);
            assertThat(new String(from(done.exec(), offset, true), StandardCharsets.US_ASCII)).isEqualTo(rest);
        }
    }

    @Test
    void several_readers_follow_at_their_own_pace() throws Exception {
        var exec = rig.start("sh", "-c", "for i in $(seq 1 40); do seq $i 2000; sleep 0.01; done");
        var expected = IntStream.rangeClosed(1, 40).mapToObj(i -> IntStream.rangeClosed(i, 2000).mapToObj(n -> n + "\n")
                .collect(Collectors.joining())).collect(Collectors.joining());
        var results = IntStream.range(0, 5).parallel().mapToObj(i -> {
            try {
                return new String(from(exec, 0, true), StandardCharsets.US_ASCII);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }).toList();
        assertThat(results).allMatch(expected::equals);
    }

    @Test
    void without_follow_only_what_is_there_is_given() throws Exception {
        var exec = rig.start("sh", "-c", "echo now; sleep 20; echo later");
        await().atMost(Duration.ofSeconds(30)).until(() -> rig.get(exec).outputBytes() == 4);
        assertThat(from(exec, 0, false)).asString().isEqualTo("now\n");
        rig.execs.kill(GuestRig.CALLER, rig.id.value(), exec.id());
    }

    @Test
    void a_reader_of_a_silent_command_wakes_for_keep_alive() throws Exception {
        var exec = rig.start("sleep", "20");
        try (var output = rig.execs.output(GuestRig.CALLER, rig.id.value(), exec.id(), 0, true, false)) {
            assertThat(output.next(Duration.ofMillis(50)).isEmpty()).isTrue();
        }
        rig.execs.kill(GuestRig.CALLER, rig.id.value(), exec.id());
    }

    @Test
    void ex25_a_command_whose_output_nobody_reads_is_not_held_up() throws Exception {
        var file = rig.dir.resolve("unread");
        rig.start("sh", "-c", "yes | head -c 50000000; touch " + file);
        await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(file));
    }

    @Test
    void ex26_output_past_the_cap_is_counted_and_dropped() throws Exception {
        var spec = new ExecSpec(List.of("sh", "-c", "yes | head -c 3000000"), "/", null, "root", null, null, null, 1_000_000L, null);
        var done = rig.run(spec);
        assertThat(done.out()).hasSize(1_000_000);
        assertThat(done.exec().outputBytes()).isEqualTo(1_000_000);
        assertThat(done.exec().droppedBytes()).isEqualTo(2_000_000);
        assertThat(done.exec().exitCode()).isZero();
    }

    @Test
    void ex26_endless_output_ends_with_the_timeout() throws Exception {
        // Time enough for a busy machine to let it print once past its cap.
        var spec = new ExecSpec(List.of("yes"), "/", null, "root", null, null, 4000L, 1L << 16, null);
        var done = rig.run(spec);
        assertThat(done.exec().wallMs()).isBetween(4000L, 60_000L);
        assertThat(done.exec().timedOut()).as("%s", done.exec()).isTrue();
        assertThat(done.out()).hasSize(1 << 16);
        assertThat(done.exec().droppedBytes()).isPositive();
    }

    @Test
    void input_is_streamed_and_its_end_is_passed_on() throws Exception {
        var exec = rig.start(GuestRig.input("cat"));
        rig.execs.stdin(GuestRig.CALLER, rig.id.value(), exec.id(), new ByteArrayInputStream("one ".getBytes(StandardCharsets.UTF_8)), false);
        rig.execs.stdin(GuestRig.CALLER, rig.id.value(), exec.id(), new ByteArrayInputStream("two".getBytes(StandardCharsets.UTF_8)), true);
        assertThat(rig.finish(exec).text()).isEqualTo("one two");
    }

    @Test
    void much_input_and_output_at_once_do_not_block_each_other() throws Exception {
        var data = new byte[24 << 20];
        new Random(1).nextBytes(data);
        var exec = rig.start(GuestRig.input("cat"));
        rig.execs.stdin(GuestRig.CALLER, rig.id.value(), exec.id(), new ByteArrayInputStream(data), true);
        assertThat(rig.finish(exec).out()).isEqualTo(data);
    }

    @Test
    void input_waits_for_a_process_that_reads_slowly() throws Exception {
        var exec = rig.start(GuestRig.input("sh", "-c", "sleep 0.7; wc -c"));
        long before = System.nanoTime();
        rig.execs.stdin(GuestRig.CALLER, rig.id.value(), exec.id(), new ByteArrayInputStream(new byte[4 << 20]), true);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(Duration.ofMillis(400));
        assertThat(rig.finish(exec).text().strip()).isEqualTo(Integer.toString(4 << 20));
    }

    @Test
    void input_for_a_command_that_ends_meanwhile_is_an_error_and_no_hang() throws Exception {
        var exec = rig.start(GuestRig.input("sh", "-c", "head -c 10 >/dev/null; sleep 0.3; exit 5"));
        var e = catchThrowableOfType(RedomaException.class, () -> rig.execs.stdin(GuestRig.CALLER, rig.id.value(), exec.id(),
                new Endless(), true));
        assertThat(e.code()).isEqualTo(Code.WRONG_STATE);
        assertThat(rig.finish(exec).exec().exitCode()).isEqualTo(5);
    }

    @Test
    void input_that_was_taken_before_the_command_ended_was_delivered() throws Exception {
        var exec = rig.start(GuestRig.input("sh", "-c", "read line; exit 6"));
        rig.execs.stdin(GuestRig.CALLER, rig.id.value(), exec.id(), new Lines("one\n", "", exec), false);
        assertThat(rig.finish(exec).exec().exitCode()).isEqualTo(6);
    }

    @Test
    void input_that_comes_after_the_command_ended_is_an_error() {
        var exec = rig.start(GuestRig.input("sh", "-c", "read line; exit 6"));
        var e = catchThrowableOfType(RedomaException.class, () -> rig.execs.stdin(GuestRig.CALLER, rig.id.value(), exec.id(),
                new Lines("one\n", "two\n".repeat(200_000), exec), false));
        assertThat(e.code()).isEqualTo(Code.WRONG_STATE);
    }

    @Test
    void input_that_was_not_asked_for_is_refused() throws Exception {
        var exec = rig.start("sleep", "20");
        var e = catchThrowableOfType(RedomaException.class, () -> rig.execs.stdin(GuestRig.CALLER, rig.id.value(), exec.id(),
                new ByteArrayInputStream(new byte[1]), true));
        assertThat(e.code()).isEqualTo(Code.WRONG_STATE);
        rig.execs.kill(GuestRig.CALLER, rig.id.value(), exec.id());
    }

    @Test
    void ex27_a_terminal_gives_all_output_too() throws Exception {
        var done = rig.run(GuestRig.terminal("seq", "1", "100000"));
        assertThat(done.text().strip().lines().map(String::strip).toList().getLast()).isEqualTo("100000");
        assertThat(done.text().replace("\r\n", "\n")).isEqualTo(lines(100_000));
    }

    @Test
    void sh13_a_terminal_has_the_size_it_was_given_and_keeps_it_when_an_absurd_one_is_refused() throws Exception {
        var exec = rig.start(GuestRig.terminal("sh", "-c", "stty size; read x; stty size; read y; stty size"));
        await().atMost(Duration.ofSeconds(30)).until(() -> rig.get(exec).outputBytes() > 0);
        for (var bad : new Tty[] {new Tty(0, 0, null), new Tty(1001, 20, null), new Tty(80, -1, null)}) {
            var e = catchThrowableOfType(RedomaException.class, () -> rig.execs.resize(GuestRig.CALLER, rig.id.value(), exec.id(), bad));
            assertThat(e.code()).isEqualTo(Code.INVALID_FIELD);
        }
        type(exec, "\n");
        await().atMost(Duration.ofSeconds(30)).until(() -> rig.get(exec).outputBytes() >= 2 * "24 80\r\n".length());
        rig.execs.resize(GuestRig.CALLER, rig.id.value(), exec.id(), new Tty(132, 43, null));
        type(exec, "\n");
        var sizes = rig.finish(exec).text().lines().map(String::strip).filter(l -> !l.isEmpty()).toList();
        assertThat(sizes).containsExactly("24 80", "24 80", "43 132");
    }

    @Test
    void sh01_an_interrupt_in_a_terminal_leaves_the_shell_alive() throws Exception {
        var exec = rig.start(GuestRig.terminal("bash", "--norc", "-i"));
        type(exec, "cd /tmp; export A=1; echo now-$((40+2)); sleep 60\n");
        await().atMost(Duration.ofSeconds(30)).until(() -> new String(from(exec, 0, false), StandardCharsets.UTF_8).contains("now-42"));
        Thread.sleep(100);
        type(exec, "\u0003");
        type(exec, "pwd; echo A=$A; exit 7\n");
        var done = rig.finish(exec);
        assertThat(done.text()).contains("/tmp\r\n").contains("A=1");
        assertThat(done.exec().exitCode()).isEqualTo(7);
    }

    private static void type(Exec exec, String text) throws IOException {
        rig.execs.stdin(GuestRig.CALLER, rig.id.value(), exec.id(), new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), false);
    }

    /// A first piece, and when the command has ended the rest.
    private static final class Lines extends InputStream {
        private final InputStream first;
        private final InputStream rest;
        private final Exec exec;

        Lines(String first, String rest, Exec exec) {
            this.first = new ByteArrayInputStream(first.getBytes(StandardCharsets.UTF_8));
            this.rest = new ByteArrayInputStream(rest.getBytes(StandardCharsets.UTF_8));
            this.exec = exec;
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int read(byte[] b, int off, int len) throws IOException {
            int n = first.read(b, off, len);
            if (n >= 0) {
                return n;
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> rig.execs.get(GuestRig.CALLER, rig.id.value(), exec.id()).endedAt() != null);
            return rest.read(b, off, len);
        }
    }

    private static final class Endless extends InputStream {
        @Override
        public int read() {
            return 0;
        }

        @Override
        public int read(byte[] b, int off, int len) {
            return len;
        }
    }
}
