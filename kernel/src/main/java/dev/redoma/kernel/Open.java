// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

/// Flags of `open`; `CLOEXEC` is always added.
public final class Open {
    public static final int RDONLY = 0;
    public static final int WRONLY = 1;
    public static final int RDWR = 2;
    public static final int CREAT = 0x40;
    public static final int EXCL = 0x80;
    public static final int TRUNC = 0x200;
    /// Never wait for a peer: a FIFO that a sandbox planted must not hang the host.
    public static final int NONBLOCK = 0x800;
    public static final int DIRECTORY = 0x10000;
    /// Refuse (ELOOP) if the last component is a link.
    public static final int NOFOLLOW = 0x20000;
    static final int CLOEXEC = 0x80000;
    /// Name the file without opening it.
    public static final int PATH = 0x200000;

    private Open() {}
}
