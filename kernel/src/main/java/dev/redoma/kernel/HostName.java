// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import dev.redoma.model.RedomaException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

/// The host name of another process's UTS namespace. Nobody inside a container may set it (that takes CAP_SYS_ADMIN there).
public final class HostName {
    private static final int CLONE_NEWUTS = 0x0400_0000;

    private HostName() {}

    /// Works on a thread that is made for it and ends afterwards, so that no other ever runs in that namespace.
    public static void set(int pid, String name) {
        try (var namespace = Fd.open(Path.of("/proc", Integer.toString(pid), "ns/uts"), Open.RDONLY, 0)) {
            var failure = new AtomicReference<RedomaException>();
            var thread = Thread.ofPlatform().name("redoma-hostname").start(() -> {
                try {
                    enterAndSet(namespace, name);
                } catch (RedomaException e) {
                    failure.set(e);
                }
            });
            join(thread);
            if (failure.get() != null) {
                throw failure.get();
            }
        }
    }

    private static void enterAndSet(Fd namespace, String name) {
        Sys.check(Sys.retried(Nr.SETNS, namespace.number(), CLONE_NEWUTS, 0), "setns", namespace.what());
        try (var arena = Arena.ofConfined()) {
            var bytes = Names.encode(name);
            Sys.check(Sys.retried(Nr.SETHOSTNAME, Sys.bytes(arena, bytes, 0).address(), bytes.length, 0), "sethostname", name);
        }
    }

    /// Two system calls end soon; an interrupt is kept for the caller.
    private static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
