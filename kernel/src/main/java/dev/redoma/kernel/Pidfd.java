// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.util.Optional;

/// A handle on one process that a reused pid cannot be mistaken for. Readable (in epoll) once the process has ended. Its owner
/// closes it.
public final class Pidfd implements AutoCloseable {
    private final Fd fd;
    private final int pid;

    private Pidfd(Fd fd, int pid) {
        this.fd = fd;
        this.pid = pid;
    }

    /// Empty if there is no such process (any more).
    public static Optional<Pidfd> open(int pid) {
        long fd = Sys.retried(Nr.PIDFD_OPEN, pid, 0, 0);
        if (fd == -Errno.ESRCH || fd == -Errno.EINVAL) {
            return Optional.empty();
        }
        Sys.check(fd, "pidfd_open", Integer.toString(pid));
        return Optional.of(new Pidfd(new Fd(fd, "pid " + pid), pid));
    }

    public int pid() {
        return pid;
    }

    int number() {
        return fd.number();
    }

    /// False if it has ended and was reaped; a zombie still takes signals without effect.
    public boolean signal(int number) {
        long r = Sys.retried(Nr.PIDFD_SEND_SIGNAL, fd.number(), number, 0, 0, 0, 0);
        if (r == -Errno.ESRCH) {
            return false;
        }
        Sys.check(r, "pidfd_send_signal", fd.what());
        return true;
    }

    @Override
    public void close() {
        fd.close();
    }
}
