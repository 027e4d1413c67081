// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;

/// The kernel refused something. Untranslated it is a HOST_FAILED problem that names call and errno; host paths stay in
/// `getMessage()`, which goes to the log only. Callers that know better ask `is(…)` and raise their own problem.
public final class KernelException extends RedomaException {
    private static final long serialVersionUID = 1L;

    private final int errno;
    private final String attempted;

    /// `call` is the name of the system call; `attempted` says on what, for the log.
    public KernelException(int errno, String call, String attempted) {
        super(
                Problem.of(
                        Code.HOST_FAILED,
                        "the host's kernel refused " + call + ": " + Errno.name(errno),
                        "Ask the operator to look into the server's log and run `redoma doctor`."),
                null);
        this.errno = errno;
        this.attempted = call + " " + attempted;
    }

    public int errno() {
        return errno;
    }

    /// True if it is one of these error numbers.
    public boolean is(int... errnos) {
        for (int e : errnos) {
            if (e == errno) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String getMessage() {
        return attempted + ": " + Errno.name(errno);
    }
}
