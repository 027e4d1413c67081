// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/// `syscall(2)` of x86-64 Linux: numbers and pointers in, result or negative errno out. Everything in this room goes through here,
/// so no wrapper of an old libc decides what can be asked.
final class Sys {
    static final int AT_FDCWD = -100;

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle SYSCALL = link();

    private Sys() {}

    private static MethodHandle link() {
        var arch = System.getProperty("os.arch");
        if (!arch.equals("amd64") || !System.getProperty("os.name").equals("Linux")) {
            throw new IllegalStateException("Redoma serves x86-64 Linux; this is " + System.getProperty("os.name") + " on " + arch);
        }
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                Linker.Option.firstVariadicArg(1),
                Linker.Option.captureCallState("errno"));
    }

    /// The result, or minus the error number. Never throws for a refusal; does not repeat after EINTR.
    static long raw(int number, long a, long b, long c, long d, long e, long f) {
        try (var arena = Arena.ofConfined()) {
            var state = arena.allocate(STATE);
            long result = (long) SYSCALL.invokeExact(state, (long) number, a, b, c, d, e, f);
            return result == -1 ? -(int) ERRNO.get(state, 0L) : result;
        } catch (Throwable t) {
            throw new IllegalStateException("system call " + number, t);
        }
    }

    /// Like `raw`, repeated while a signal interrupted it.
    static long retried(int number, long a, long b, long c, long d, long e, long f) {
        long result;
        do {
            result = raw(number, a, b, c, d, e, f);
        } while (result == -Errno.EINTR);
        return result;
    }

    static long retried(int number, long a, long b, long c) {
        return retried(number, a, b, c, 0, 0, 0);
    }

    /// The result if it is none of the kernel's refusals, which become a `KernelException`.
    static long check(long result, String call, String attempted) {
        if (result < 0 && result > -4096) {
            throw new KernelException((int) -result, call, attempted);
        }
        return result;
    }

    /// Address of a NUL-terminated copy of a name; the arena owns it.
    static long text(Arena arena, String text) {
        return bytes(arena, Names.encode(text), 1).address();
    }

    static MemorySegment bytes(Arena arena, byte[] data, int zeros) {
        var out = arena.allocate(Math.max(1, data.length + zeros), 8);
        MemorySegment.copy(data, 0, out, java.lang.foreign.ValueLayout.JAVA_BYTE, 0, data.length);
        return out;
    }
}
