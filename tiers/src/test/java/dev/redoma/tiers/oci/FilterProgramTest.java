// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Runs the filter in a small interpreter of the kernel's instructions.
class FilterProgramTest {
    private static final int ALLOW = 0x7FFF_0000;
    private static final int ERRNO = 0x0005_0000;
    private static final int X86_64 = 0xC000_003E;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyCallOfTheListsGetsItsAnswer(boolean debug) {
        for (var name : SyscallTable.allowed(debug)) {
            assertThat(run(debug, X86_64, SyscallTable.number(name))).as(name).isEqualTo(ALLOW);
        }
        for (var name : SyscallTable.refused(debug)) {
            assertThat(run(debug, X86_64, SyscallTable.number(name))).as(name).isEqualTo(ERRNO | 1);
        }
    }

    @Test
    void callsOfNoListDoNotExist() {
        var known = new java.util.HashSet<Integer>();
        java.util.stream.Stream.concat(SyscallTable.allowed(true).stream(), SyscallTable.refused(true).stream())
                .forEach(n -> known.add(SyscallTable.number(n)));
        java.util.List.of("clone", "socket", "socketpair", "personality").forEach(n -> known.add(SyscallTable.number(n)));
        for (int n = 0; n < 600; n++) {
            if (!known.contains(n)) {
                assertThat(run(true, X86_64, n)).as("call " + n).isEqualTo(ERRNO | 38);
            }
        }
    }

    @Test
    void cloneMakesNoNamespaces() {
        int clone = SyscallTable.number("clone");
        assertThat(run(false, X86_64, clone, 0x11)).isEqualTo(ALLOW);
        assertThat(run(false, X86_64, clone, 0x3D0F00)).isEqualTo(ALLOW);
        for (long flag : new long[] {0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000}) {
            assertThat(run(false, X86_64, clone, flag | 0x11)).isEqualTo(ERRNO | 1);
        }
    }

    @Test
    void socketsOfFourKindsOnly() {
        int socket = SyscallTable.number("socket");
        for (long family = 0; family < 60; family++) {
            int expected = family == 1 || family == 2 || family == 10 || family == 16 ? ALLOW : ERRNO | 97;
            assertThat(run(false, X86_64, socket, family)).as("family " + family).isEqualTo(expected);
        }
        assertThat(run(false, X86_64, socket, 16, 2, 9)).isEqualTo(ERRNO | 93);
        // The kernel drops the upper half, so the filter must not look at it either.
        assertThat(run(false, X86_64, socket, 0x1_0000_0011L)).isEqualTo(ERRNO | 97);
        assertThat(run(false, X86_64, SyscallTable.number("socketpair"), 1)).isEqualTo(ALLOW);
        assertThat(run(false, X86_64, SyscallTable.number("socketpair"), 2)).isEqualTo(ERRNO | 97);
    }

    @Test
    void otherAbisAreNoWayAround() {
        assertThat(run(false, 0x4000_0003, 1)).isEqualTo(0x8000_0000);
        assertThat(run(false, X86_64, 0x4000_0000 | 1)).isEqualTo(ERRNO | 38);
    }

    @Test
    void terminalsTakeNoPlantedInput() {
        assertThat(run(false, X86_64, SyscallTable.number("ioctl"), 0, 0x5412)).isEqualTo(ERRNO | 1);
        assertThat(run(false, X86_64, SyscallTable.number("ioctl"), 0, 0x5413)).isEqualTo(ALLOW);
    }

    @Test
    void nothingIsAskedOfBtrfs() {
        int ioctl = SyscallTable.number("ioctl");
        for (long request : new long[] {0x5000_9418L, 0x5000_940EL, 0x4004_9409L, 0x4020_940DL, 0x8100_9431L, 0x9408}) {
            assertThat(run(false, X86_64, ioctl, 3, request)).as(Long.toHexString(request)).isEqualTo(ERRNO | 25);
        }
        for (long request : new long[] {0x5401, 0x541B, 0x8008_6601L, 0xC018_9536L, 0x4004_9509L, 0x8004_8400L}) {
            assertThat(run(false, X86_64, ioctl, 3, request)).as(Long.toHexString(request)).isEqualTo(ALLOW);
        }
    }

    @Test
    void personalityOnlyAsDebuggersNeedIt() {
        assertThat(run(false, X86_64, SyscallTable.number("personality"), 0xFFFF_FFFFL)).isEqualTo(ALLOW);
        assertThat(run(false, X86_64, SyscallTable.number("personality"), 0x40000)).isEqualTo(ALLOW);
        assertThat(run(false, X86_64, SyscallTable.number("personality"), 0x100_0000)).isEqualTo(ERRNO | 38);
    }

    private static int run(boolean debug, int arch, int number, long... args) {
        var code = ByteBuffer.wrap(FilterProgram.compile(debug)).order(ByteOrder.LITTLE_ENDIAN);
        var data = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN).putInt(0, number).putInt(4, arch);
        for (int i = 0; i < args.length; i++) {
            data.putLong(16 + 8 * i, args[i]);
        }
        int a = 0;
        for (int pc = 0; ; pc++) {
            int op = code.getShort(8 * pc);
            int yes = code.get(8 * pc + 2) & 0xFF;
            int no = code.get(8 * pc + 3) & 0xFF;
            int k = code.getInt(8 * pc + 4);
            switch (op) {
                case 0x20 -> a = data.getInt(k);
                case 0x06 -> {
                    return k;
                }
                case 0x15 -> pc += a == k ? yes : no;
                case 0x54 -> a &= k;
                case 0x35 -> pc += Integer.compareUnsigned(a, k) >= 0 ? yes : no;
                case 0x45 -> pc += (a & k) != 0 ? yes : no;
                default -> throw new IllegalStateException("instruction " + op);
            }
        }
    }
}
