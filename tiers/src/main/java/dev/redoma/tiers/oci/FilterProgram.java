// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// The system call filter as a classic BPF program, the same as `Seccomp`'s rules: a binary search over ranges of call numbers instead of
/// a comparison for each. crun takes it ready-made, which spares every start the compilation, and the kernel runs it in fewer steps.
final class FilterProgram {
    private static final int ARCH_X86_64 = 0xC000_003E;
    private static final int X32 = 0x4000_0000;
    private static final int OFFSET_NUMBER = 0;
    private static final int OFFSET_ARCH = 4;
    private static final int KILL_PROCESS = 0x8000_0000;
    private static final int ALLOW = 0x7FFF_0000;
    private static final int ERRNO = 0x0005_0000;
    private static final int TIOCSTI = 0x5412;
    private static final int TIOCLINUX = 0x541C;

    private static final int LOAD = 0x20;
    private static final int RETURN = 0x06;
    private static final int IF_EQUAL = 0x15;
    private static final int IF_AT_LEAST = 0x35;
    private static final int IF_ANY_BIT = 0x45;
    private static final int AND = 0x54;

    /// One instruction; `yes` and `no` are how many instructions to skip.
    private record Step(int code, int yes, int no, int value) {}

    private FilterProgram() {}

    /// An array of the kernel's `struct sock_filter`.
    static byte[] compile(boolean debug) {
        var out = new ArrayList<Step>();
        out.add(new Step(LOAD, 0, 0, OFFSET_ARCH));
        out.add(new Step(IF_EQUAL, 1, 0, ARCH_X86_64));
        out.add(result(KILL_PROCESS));
        out.add(new Step(LOAD, 0, 0, OFFSET_NUMBER));
        out.add(new Step(IF_AT_LEAST, 0, 1, X32));
        out.add(result(errno(Seccomp.ENOSYS)));
        var ranges = ranges(debug);
        out.addAll(search(List.copyOf(ranges.keySet()), List.copyOf(ranges.values())));
        return bytes(out);
    }

    /// First number of each range with what to do there; neighbours with the same steps are one range.
    private static TreeMap<Integer, List<Step>> ranges(boolean debug) {
        var single = new TreeMap<Integer, List<Step>>();
        SyscallTable.allowed(debug).forEach(name -> single.put(SyscallTable.number(name), List.of(result(ALLOW))));
        SyscallTable.refused(debug).forEach(name -> single.put(SyscallTable.number(name), List.of(result(errno(Seccomp.EPERM)))));
        single.put(SyscallTable.number("clone"), newNamespaces());
        single.put(SyscallTable.number("socket"), socket());
        single.put(SyscallTable.number("socketpair"), among(new long[] {Seccomp.UNIX}, errno(Seccomp.EAFNOSUPPORT)));
        single.put(SyscallTable.number("personality"), among(Seccomp.PERSONALITIES, errno(Seccomp.ENOSYS)));
        single.put(SyscallTable.number("ioctl"), requests());
        var out = new TreeMap<Integer, List<Step>>();
        var otherwise = List.of(result(errno(Seccomp.ENOSYS)));
        List<Step> last = List.of();
        for (int n = 0; n <= single.lastKey() + 1; n++) {
            var here = single.getOrDefault(n, otherwise);
            if (!here.equals(last)) {
                out.put(n, here);
                last = here;
            }
        }
        return out;
    }

    /// `from` holds the first number of each range but is not asked for the first.
    private static List<Step> search(List<Integer> from, List<List<Step>> what) {
        if (what.size() == 1) {
            return what.getFirst();
        }
        int middle = what.size() / 2;
        var low = search(from.subList(0, middle), what.subList(0, middle));
        var high = search(from.subList(middle, from.size()), what.subList(middle, what.size()));
        if (low.size() > 255) {
            throw new IllegalStateException("a jump is too long: " + low.size());
        }
        var out = new ArrayList<Step>();
        out.add(new Step(IF_AT_LEAST, low.size(), 0, from.get(middle)));
        out.addAll(low);
        out.addAll(high);
        return out;
    }

    private static List<Step> newNamespaces() {
        return List.of(
                argument(0),
                new Step(IF_ANY_BIT, 0, 1, (int) Seccomp.ANY_NEW_NAMESPACE),
                result(errno(Seccomp.EPERM)),
                result(ALLOW));
    }

    private static List<Step> socket() {
        return List.of(
                argument(0),
                new Step(IF_EQUAL, 5, 0, Seccomp.UNIX),
                new Step(IF_EQUAL, 4, 0, Seccomp.INET),
                new Step(IF_EQUAL, 3, 0, Seccomp.INET6),
                new Step(IF_EQUAL, 0, 4, Seccomp.NETLINK),
                argument(2),
                new Step(IF_EQUAL, 0, 1, 0),
                result(ALLOW),
                result(errno(Seccomp.EPROTONOSUPPORT)),
                result(errno(Seccomp.EAFNOSUPPORT)));
    }

    /// No pushing of input into a terminal that other users share, and nothing that is Btrfs's own.
    private static List<Step> requests() {
        return List.of(
                argument(1),
                new Step(IF_EQUAL, 5, 0, TIOCSTI),
                new Step(IF_EQUAL, 4, 0, TIOCLINUX),
                new Step(AND, 0, 0, 0xFF00),
                new Step(IF_EQUAL, 0, 1, Seccomp.BTRFS << 8),
                result(errno(Seccomp.ENOTTY)),
                result(ALLOW),
                result(errno(Seccomp.EPERM)));
    }

    private static List<Step> among(long[] values, int otherwise) {
        var out = new ArrayList<Step>();
        out.add(argument(0));
        for (int i = 0; i < values.length; i++) {
            out.add(new Step(IF_EQUAL, values.length - i, 0, (int) values[i]));
        }
        out.add(result(otherwise));
        out.add(result(ALLOW));
        return List.copyOf(out);
    }

    /// The low half: families, protocols and requests are ints, of which the kernel drops the rest.
    private static Step argument(int index) {
        return new Step(LOAD, 0, 0, 16 + 8 * index);
    }

    private static int errno(int number) {
        return ERRNO | number;
    }

    private static Step result(int value) {
        return new Step(RETURN, 0, 0, value);
    }

    private static byte[] bytes(List<Step> steps) {
        var out = ByteBuffer.allocate(8 * steps.size()).order(ByteOrder.LITTLE_ENDIAN);
        steps.forEach(s -> out.putShort((short) s.code).put((byte) s.yes).put((byte) s.no).putInt(s.value));
        return out.array();
    }
}
