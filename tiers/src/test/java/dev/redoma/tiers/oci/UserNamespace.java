// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.kernel.Fd;
import dev.redoma.kernel.Open;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/// Asks the kernel to whom a process's user namespace belongs.
final class UserNamespace {
    private static final long NS_GET_OWNER_UID = 0xB704;

    private UserNamespace() {}

    static long ownerOf(int pid) {
        try (var arena = Arena.ofConfined(); Fd file = Fd.open(Path.of("/proc", Integer.toString(pid), "ns/user"), Open.RDONLY, 0)) {
            var uid = arena.allocate(ValueLayout.JAVA_INT);
            file.ioctl(NS_GET_OWNER_UID, uid.address(), "NS_GET_OWNER_UID");
            return Integer.toUnsignedLong(uid.get(ValueLayout.JAVA_INT, 0));
        }
    }
}
