// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/// The value of `security.capability`, cut down to what a sandbox may hold: a file with more could not be executed at all,
/// as the bounding set lacks it.
final class FileCapabilities {
    static final String NAME = "security.capability";
    /// CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE, SETFCAP.
    private static final int ALLOWED = 1 | 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 10 | 1 << 31;
    private static final int VERSION_2 = 0x02000000;
    private static final int VERSION_3 = 0x03000000;

    private FileCapabilities() {}

    /// Version 2, of the user namespace's own root; empty if nothing allowed remains or the value is none.
    static Optional<byte[]> cutDown(byte[] value) {
        if (value.length != 20 && value.length != 24) {
            return Optional.empty();
        }
        var in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        int magic = in.getInt();
        int version = magic & 0xFF000000;
        int permitted = in.getInt() & ALLOWED;
        int inheritable = in.getInt() & ALLOWED;
        boolean known = version == VERSION_2 && value.length == 20 || version == VERSION_3 && value.length == 24;
        if (!known || permitted == 0 && inheritable == 0) {
            return Optional.empty();
        }
        var out = ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(VERSION_2 | magic & 1).putInt(permitted).putInt(inheritable).putInt(0).putInt(0);
        return Optional.of(out.array());
    }
}
