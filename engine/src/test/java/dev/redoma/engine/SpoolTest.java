// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How output is kept.
class SpoolTest {
    @TempDir Path dir;

    private Path path() {
        return dir.resolve("sb").resolve("ex");
    }

    private static ByteBuffer bytes(String text) {
        var b = ByteBuffer.allocateDirect(text.length());
        return b.put(text.getBytes(java.nio.charset.StandardCharsets.US_ASCII)).flip();
    }

    private static String[] read(Spool spool) throws InterruptedException {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        try (var reader = spool.reader(0, false, false)) {
            for (Execs.Chunk c; (c = reader.next(Duration.ZERO)) != null; ) {
                (c.stream() == 1 ? out : err).writeBytes(c.copy());
            }
        }
        return new String[] {out.toString(), err.toString()};
    }

    @Test
    void streams_are_told_apart_after_a_restart_too() throws Exception {
        var spool = new Spool(path(), 1000);
        spool.append(2, bytes("e1"));
        spool.append(1, bytes("o1"));
        spool.append(1, bytes("o2"));
        spool.append(2, bytes("e2"));
        spool.close();
        var again = Spool.recover(path(), 1000, 0);
        again.append(1, bytes("o3"));
        assertThat(read(again)).containsExactly("o1o2o3", "e1e2");
        again.close();
    }

    @Test
    void an_index_that_is_ahead_of_the_bytes_is_cut() throws Exception {
        var spool = new Spool(path(), 1000);
        spool.append(1, bytes("out"));
        spool.append(2, bytes("err"));
        spool.close();
        Files.write(dir.resolve("sb/ex.out"), "out".getBytes(), StandardOpenOption.TRUNCATE_EXISTING);
        var again = Spool.recover(path(), 1000, 0);
        again.append(1, bytes("!"));
        assertThat(read(again)).containsExactly("out!", "");
        again.close();
    }

    @Test
    void an_exec_that_alternates_for_ever_takes_no_more_disk_than_twice_its_limit() throws Exception {
        var spool = new Spool(path(), 8000);
        for (int i = 0; i < 5000; i++) {
            spool.append(1 + i % 2, bytes("x"));
        }
        assertThat(spool.kept() + spool.dropped()).isEqualTo(5000);
        assertThat(Files.size(dir.resolve("sb/ex.out")) + Files.size(dir.resolve("sb/ex.idx"))).isLessThanOrEqualTo(16_000);
        assertThat(spool.dropped()).isPositive();
        spool.close();
    }

    @Test
    void the_last_of_the_disk_is_not_taken() throws Exception {
        var spool = new Spool(path(), 1000, () -> 1L << 20);
        spool.append(1, bytes("lost"));
        assertThat(spool.kept()).isZero();
        assertThat(spool.dropped()).isEqualTo(4);
        spool.close();
    }
}
