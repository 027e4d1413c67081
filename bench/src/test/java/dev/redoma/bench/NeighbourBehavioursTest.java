// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// What the kernel counts for a user or for the whole host: a sandbox that takes all it gets leaves its neighbours, and the host's own
/// root, as much as before.
@ExtendWith(LabExtension.class)
@Timeout(180)
class NeighbourBehavioursTest {
    private static final String PRELUDE = """
            import ctypes, os, socket, sys, time
            c = ctypes.CDLL(None, use_errno=True)
            def take(most, one):
                n = 0
                while n < most and one(n) >= 0: n += 1
                return n
            """;
    private static final String END = """

            print(take(int(sys.argv[1]), one), flush=True)
            if int(sys.argv[1]) > 10: time.sleep(60)
            """;

    @Test
    void inotifyInstancesTakenByOneAreNotMissedByAnother(Lab lab) {
        hoard(lab, "def one(n): return c.inotify_init1(0)");
    }

    @Test
    void timersAndQueuedSignalsTakenByOneAreNotMissedByAnother(Lab lab) {
        hoard(lab, "def one(n): return c.timer_create(1, None, ctypes.byref(ctypes.c_void_p()))");
    }

    @Test
    void messageQueuesTakenByOneAreNotMissedByAnother(Lab lab) {
        hoard(lab, """
                class Form(ctypes.Structure): _fields_ = [(f, ctypes.c_long) for f in 'fmsc'] + [('rest', ctypes.c_long * 4)]
                def one(n): return c.mq_open(b'/q%d' % (n + 1000 * int(sys.argv[1])), os.O_CREAT | os.O_RDWR, 0o600, ctypes.byref(Form(0, 10, 8192, 0)))
                """);
    }

    @Test
    void terminalsTakenByOneAreNotMissedByAnother(Lab lab) {
        hoard(lab, "def one(n): return c.open(b'/dev/ptmx', os.O_RDWR | os.O_NOCTTY)");
    }

    @Test
    void lockedMemoryTakenByOneIsNotMissedByAnother(Lab lab) {
        hoard(lab, """
                import mmap
                held = []
                def one(n):
                    held.append(mmap.mmap(-1, 1 << 20))
                    return c.mlock(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(held[-1]))), 1 << 20)
                """);
    }

    /// `one`: a Python function that takes one more and answers less than 0 when there is none.
    private static void hoard(Lab lab, String one) {
        var program = PRELUDE + one.stripIndent() + END;
        try (var greedy = lab.base(); var neighbour = lab.base()) {
            assertThat(neighbour.run(List.of("python3", "-c", program, "2"), "user", "root").text()).isEqualTo("2\n");
            var hoarding = greedy.start(List.of("python3", "-c", program, "100000"), "user", "root");
            awaitOutput(greedy, hoarding);
            var other = neighbour.run(List.of("python3", "-c", program, "2"), "user", "root");
            assertThat(other.text()).as(other.errText()).isEqualTo("2\n");
            assertThat(greedy.output(hoarding, 0, false, false).text().strip()).isNotEqualTo("100000");
        }
    }

    private static void awaitOutput(Box box, String exec) {
        org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(40)).until(() -> box.output(exec, 0, false, false).text().endsWith("\n"));
    }

    @Test
    void asynchronousIoThatTheWholeHostCountsIsNotThere(Lab lab) {
        try (var box = lab.base()) {
            var program = PRELUDE + "print(c.syscall(206, 100, ctypes.byref(ctypes.c_ulong())), ctypes.get_errno())";
            assertThat(box.run(List.of("python3", "-c", program), "user", "root").text()).isEqualTo("-1 38\n");
        }
    }

    @Test
    void buffersOfTcpAreBoundedAsMemoryIs(Lab lab) throws IOException {
        long before = tcpPages();
        try (var box = lab.base(Map.of("limits", Map.of("memoryBytes", 128L << 20)))) {
            var program = PRELUDE + """
                    s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(1000)
                    held = []
                    def one(n):
                        a = socket.socket(); a.settimeout(2)
                        try: a.connect(s.getsockname())
                        except OSError: return -1
                        b = s.accept()[0]
                        for x in (a, b):
                            x.setblocking(False)
                            try:
                                while True: x.send(b'x' * 65536)
                            except OSError: pass
                        held.append((a, b))
                        return 0
                    """ + "take(200, one)\nprint('held', flush=True)\ntime.sleep(60)";
            var exec = box.start(List.of("python3", "-c", program), "user", "root");
            org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(60))
                    .until(() -> box.output(exec, 0, false, false).text().contains("held") || !box.exec(exec).get("state").asString().equals("running"));
            assertThat((tcpPages() - before) * 4096).isLessThan(160L << 20);
        }
    }

    private static long tcpPages() throws IOException {
        var line = Files.readString(Path.of("/proc/net/sockstat")).lines().filter(l -> l.startsWith("TCP:")).findFirst().orElseThrow();
        return Long.parseLong(line.replaceAll(".* mem (\\d+).*", "$1"));
    }
}
