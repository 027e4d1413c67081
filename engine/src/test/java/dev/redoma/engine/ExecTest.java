// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// How commands start, print and end.
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
    void prints_and_exits() throws Exception {
        var done = rig.sh("echo hi; echo oops >&2; exit 3");
        assertThat(done.text()).isEqualTo("hi\n");
        assertThat(done.errors()).isEqualTo("oops\n");
        assertThat(done.exec().exitCode()).isEqualTo(3);
        assertThat(done.exec().state()).isEqualTo("exited");
    }
}
