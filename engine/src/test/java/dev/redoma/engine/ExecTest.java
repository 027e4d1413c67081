// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.AuditRecord;
import dev.redoma.model.wire.ExecSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// How commands start, print and end.
@Timeout(240)
class ExecTest {
    static GuestRig rig;

    @BeforeAll
    static void open() throws IOException {
        rig = new GuestRig();
    }

    @AfterAll
    static void close() throws IOException {
        rig.close();
    }

    @Test
    void stdout_stderr_and_exit_code_are_apart() throws Exception {
        var done = rig.sh("echo hi; echo oops >&2; exit 3");
        assertThat(done.text()).isEqualTo("hi\n");
        assertThat(done.errors()).isEqualTo("oops\n");
        assertThat(done.exec().exitCode()).isEqualTo(3);
        assertThat(done.exec().signal()).isNull();
        assertThat(done.exec().state()).isEqualTo("exited");
        assertThat(done.exec().outputBytes()).isEqualTo(8);
        assertThat(done.exec().timedOut() || done.exec().killed() || done.exec().oomKilled()).isFalse();
    }

    @Test
    void the_connections_of_short_commands_are_used_again() throws Exception {
        try (var own = new GuestRig()) {
            own.sh("true");
            await().until(() -> sockets(own).size() >= 2); // the spares
            var before = sockets(own);
            for (int i = 0; i < 5; i++) {
                assertThat(own.sh("echo " + i).text()).isEqualTo(i + "\n");
            }
            await().untilAsserted(() -> assertThat(sockets(own)).containsAll(before));
        }
    }

    private static Set<String> sockets(GuestRig of) throws IOException {
        var found = new TreeSet<String>();
        try (var all = Files.newDirectoryStream(Path.of("/proc/" + of.instance.ref().pid() + "/fd"))) {
            for (var fd : all) {
                target(fd).filter(t -> t.startsWith("socket:")).ifPresent(found::add);
            }
        }
        return found;
    }

    private static Optional<String> target(Path fd) throws IOException {
        try {
            return Optional.of(Files.readSymbolicLink(fd).toString());
        } catch (NoSuchFileException closed) {
            return Optional.empty();
        }
    }

    @Test
    void argv_is_never_a_shell_string() throws Exception {
        var done = rig.run(GuestRig.spec("printf", "%s|", "a b", "$HOME", "'", ""));
        assertThat(done.text()).isEqualTo("a b|$HOME|'||");
    }

    @Test
    void ex13_an_unknown_command_ends_with_127_and_says_so() throws Exception {
        var done = rig.run(GuestRig.spec("no_such_cmd_xyz"));
        assertThat(done.exec().exitCode()).isEqualTo(127);
        assertThat(done.errors()).containsIgnoringCase("not found");
    }

    @Test
    void ex13_a_file_that_is_not_executable_ends_with_126() throws Exception {
        assertThat(rig.run(GuestRig.spec("/etc/passwd")).exec().exitCode()).isEqualTo(126);
    }

    @Test
    void ex14_a_missing_working_directory_is_an_error_that_names_it_and_hurts_nothing_else() throws Exception {
        var e = refused(new ExecSpec(List.of("true"), "/nope", null, null, null, null, null, null, null));
        assertThat(e.code()).isEqualTo(Code.NO_SUCH_DIRECTORY);
        assertThat(e.problem().message()).contains("/nope");
        assertThat(rig.sh("echo ok").text()).isEqualTo("ok\n");
        assertThat(rig.execs.list(GuestRig.CALLER, rig.id.value(), null, 200).items()).noneMatch(x -> x.cwd().equals("/nope"));
    }

    @Test
    void an_unknown_user_is_named() {
        var e = refused(new ExecSpec(List.of("true"), null, null, "nobody-here", null, null, null, null, null));
        assertThat(e.code()).isEqualTo(Code.NO_SUCH_USER);
        assertThat(e.problem().message()).contains("nobody-here");
    }

    @ParameterizedTest
    @CsvSource({"kill -SEGV $$, 139, 11", "kill -9 $$, 137, 9", "kill -TERM $$, 143, 15"})
    void ex15_death_by_a_signal_is_told_as_code_and_signal(String script, int code, int signal) throws Exception {
        var exec = rig.sh(script).exec();
        assertThat(exec.exitCode()).isEqualTo(code);
        assertThat(exec.signal()).isEqualTo(signal);
        assertThat(exec.killed()).as("%s", exec).isFalse();
    }

    @Test
    void ex15_exit_255_is_no_signal() throws Exception {
        var exec = rig.sh("exit 255").exec();
        assertThat(exec.exitCode()).isEqualTo(255);
        assertThat(exec.signal()).isNull();
    }

    @Test
    void ex19_stdin_is_empty_unless_asked_for() throws Exception {
        long before = System.nanoTime();
        assertThat(rig.sh("cat; echo rc=$?").text()).isEqualTo("rc=0\n");
        assertThat(rig.sh("read x; echo rc=$?").text()).isEqualTo("rc=1\n");
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(4));
    }

    @ParameterizedTest
    @CsvSource({"5", "513", "70000"})
    void ex21_heredocs_arrive_whole(int size) throws Exception {
        var done = rig.sh("cat <<'E' | wc -c\n" + "x".repeat(size - 1) + "\nE\n");
        assertThat(done.text().strip()).isEqualTo(Integer.toString(size));
    }

    @Test
    void ex22_an_argument_too_large_for_linux_is_refused_with_the_limit() {
        var e = refused(GuestRig.spec("sh", "-c", ": " + "p".repeat(200_000) + "; echo END"));
        assertThat(e.code()).isEqualTo(Code.PAYLOAD_TOO_LARGE);
        assertThat(e.problem().details()).containsEntry("limit", 131_071L).containsEntry("field", "argv[2]");
    }

    @Test
    void ex22_the_largest_argument_that_linux_takes_is_taken() throws Exception {
        assertThat(rig.run(GuestRig.spec("sh", "-c", "echo ${#1}", "sh", "p".repeat(131_071))).text()).isEqualTo("131071\n");
    }

    @Test
    void ex22_all_arguments_together_have_a_limit() {
        var words = IntStream.range(0, 20).mapToObj(i -> "p".repeat(120_000)).toArray(String[]::new);
        assertThat(refused(GuestRig.spec(words)).code()).isEqualTo(Code.PAYLOAD_TOO_LARGE);
    }

    @Test
    void ex23_characters_are_not_cut_by_chunks() throws Exception {
        var done = rig.run(GuestRig.spec("python3", "-c", "print('☕' * 100000, end='')"));
        assertThat(done.out()).hasSize(300_000);
        assertThat(sha256(done.out())).isEqualTo("b00ff68d5817b1e3c27917949b98a146f3c93ca8de3e1c19e9534fffc5fbb729");
        assertThat(rig.sh("printf '\\342'; sleep 0.1; printf '\\211'; sleep 0.1; printf '\\244'").text()).isEqualTo("≤");
    }

    @Test
    void bytes_of_no_encoding_come_as_they_are() throws Exception {
        var done = rig.run(GuestRig.spec("python3", "-c", "import sys; sys.stdout.buffer.write(bytes(range(256)) * 4096)"));
        assertThat(sha256(done.out())).isEqualTo("fbbab289f7f94b25736c58be46a994c441fd02552cc6022352e3d86d2fab7c83");
    }

    @Test
    void order_and_bytes_of_both_streams_are_kept_when_they_alternate() throws Exception {
        var done = rig.run(GuestRig.spec("python3", "-c", """
                import os
                for i in range(3000):
                    os.write(1, b'o%d\\n' % i); os.write(2, b'e%d\\n' % i)
                """));
        assertThat(done.text()).isEqualTo(numbered("o"));
        assertThat(done.errors()).isEqualTo(numbered("e"));
    }

    /// Slowly, so that each write is read by itself: the guest holds only so many changes of stream until it is told that they are safe.
    @Test
    void a_command_that_goes_on_changing_streams_is_not_held_up() throws Exception {
        var done = rig.run(GuestRig.spec("python3", "-c", """
                import os, time
                for i in range(3000):
                    os.write(1, b'o'); time.sleep(0.0001); os.write(2, b'e'); time.sleep(0.0001)
                """));
        assertThat(done.out()).hasSize(3000);
        assertThat(done.err()).hasSize(3000);
    }

    private static String numbered(String prefix) {
        return IntStream.range(0, 3000).mapToObj(i -> prefix + i + "\n").collect(Collectors.joining());
    }

    @ParameterizedTest
    @CsvSource({"-1", "0", "86400001", "9223372036854775807"})
    void ex26_absurd_timeouts_are_refused_by_name(long millis) {
        var e = refused(GuestRig.sh("true", millis));
        assertThat(e.code()).isEqualTo(Code.INVALID_FIELD);
        assertThat(e.problem().details()).containsEntry("field", "timeoutMs");
    }

    @Test
    void bad_fields_are_named() {
        assertThat(field(GuestRig.spec())).isEqualTo("argv");
        assertThat(field(GuestRig.spec(""))).isEqualTo("argv");
        assertThat(field(GuestRig.spec("a\0b"))).isEqualTo("argv[0]");
        assertThat(field(GuestRig.spec("true", "\ud800"))).isEqualTo("argv[1]");
        assertThat(field(new ExecSpec(List.of("true"), "here", null, null, null, null, null, null, null))).isEqualTo("cwd");
        assertThat(field(new ExecSpec(List.of("true"), null, Map.of("A=B", "c"), null, null, null, null, null, null))).isEqualTo("env");
        assertThat(field(new ExecSpec(List.of("true"), null, null, "a b", null, null, null, null, null))).isEqualTo("user");
        assertThat(field(new ExecSpec(List.of("true"), null, null, null, null, null, null, 0L, null))).isEqualTo("outputLimitBytes");
    }

    private static Object field(ExecSpec spec) {
        return refused(spec).problem().details().get("field");
    }

    @Test
    void se02_the_environment_is_ours_alone() throws Exception {
        var spec = new ExecSpec(List.of("env"), "/", Map.of("MINE", "1"), "root", null, null, null, null, null);
        var names = rig.run(spec).text().lines().map(l -> l.substring(0, l.indexOf('='))).toList();
        assertThat(names).containsExactlyInAnyOrder("PATH", "LANG", "PAGER", "GIT_PAGER", "GIT_TERMINAL_PROMPT", "DEBIAN_FRONTEND",
                "FROM_SANDBOX", "MINE", "HOME", "USER", "LOGNAME", "SHELL");
    }

    @Test
    void values_of_the_environment_are_not_kept_in_the_database() throws Exception {
        var spec = new ExecSpec(List.of("sh", "-c", "echo ${#TOKEN}"), "/", Map.of("TOKEN", "not-for-the-disk"), "root", null, null, null, null, null);
        var seen = rig.run(spec);
        assertThat(seen.text()).isEqualTo("16\n");
        String row = rig.store.read(tx -> tx.createQuery("SELECT spec FROM exec WHERE id = :id").bind("id", seen.exec().id()).mapTo(String.class).one());
        assertThat(row).contains("${#TOKEN}").doesNotContain("not-for-the-disk");
    }

    @Test
    void a_later_layer_of_the_environment_wins() throws Exception {
        var spec = new ExecSpec(List.of("sh", "-c", "echo $FROM_SANDBOX $PATH"), "/", Map.of("FROM_SANDBOX", "exec", "PATH", "/bin:/usr/bin"),
                "root", null, null, null, null, null);
        assertThat(rig.run(spec).text()).isEqualTo("exec /bin:/usr/bin\n");
    }

    @Test
    void the_record_tells_who_asked_for_what_and_how_it_ended() throws Exception {
        var exec = rig.sh("echo recorded; exit 4").exec();
        var records = rig.ledger.read("default", rig.id.value(), "exec", 0, 1000).stream().filter(r -> exec.id().equals(r.exec())).toList();
        assertThat(records).extracting(AuditRecord::action).containsExactly("requested", "approved", "ended");
        assertThat(records).allSatisfy(r -> assertThat(r.fields()).containsEntry("digest", "sha256:" + "0".repeat(64)));
        assertThat(records.getFirst().fields()).containsEntry("argv", List.of("sh", "-c", "echo recorded; exit 4")).containsEntry("cwd", "/tmp");
        assertThat(records.getLast().fields())
                .containsEntry("outputSha256", sha256("recorded\n".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        assertThat(((Number) records.getLast().fields().get("exitCode")).intValue()).isEqualTo(4);
        assertThat(rig.ledger.verify().status()).isNotEqualTo(dev.redoma.ledger.Verdict.Status.FAILED);
    }

    @Test
    void execs_are_listed_in_pages_in_order_of_their_start() throws Exception {
        rig.sh("true");
        rig.sh("true");
        rig.sh("true");
        var first = rig.execs.list(GuestRig.CALLER, rig.id.value(), null, 2);
        var second = rig.execs.list(GuestRig.CALLER, rig.id.value(), first.next(), 1);
        assertThat(first.items()).hasSize(2);
        assertThat(second.items().getFirst().startedAt()).isAfterOrEqualTo(first.items().getLast().startedAt());
        assertThat(second.items()).doesNotContainAnyElementsOf(first.items());
    }

    @Test
    void an_unknown_exec_is_not_found() {
        var e = catchThrowableOfType(RedomaException.class, () -> rig.execs.get(GuestRig.CALLER, rig.id.value(), "ex0"));
        assertThat(e.code()).isEqualTo(Code.EXEC_NOT_FOUND);
    }

    @Test
    void ex30_a_busy_sandbox_still_answers() throws Exception {
        var load = IntStream.range(0, 4).mapToObj(i -> rig.start("sh", "-c", "while :; do :; done")).toList();
        long before = System.nanoTime();
        assertThat(rig.sh("echo ok").text()).isEqualTo("ok\n");
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
        load.forEach(e -> rig.execs.kill(GuestRig.CALLER, rig.id.value(), e.id()));
    }

    @Test
    void a_running_command_keeps_the_sandbox_busy_until_it_ends() throws Exception {
        var exec = rig.start("sleep", "30");
        assertThat(rig.busy.get()).isPositive();
        rig.execs.kill(GuestRig.CALLER, rig.id.value(), exec.id());
        assertThat(rig.busy.get()).isZero();
    }

    private static RedomaException refused(ExecSpec spec) {
        var e = catchThrowableOfType(RedomaException.class, () -> rig.start(spec));
        assertThat(e).as("refused").isNotNull();
        return e;
    }

    static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
