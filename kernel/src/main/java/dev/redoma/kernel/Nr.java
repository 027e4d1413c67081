// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

/// System call numbers of x86-64.
final class Nr {
    static final int READ = 0;
    static final int WRITE = 1;
    static final int CLOSE = 3;
    static final int POLL = 7;
    static final int LSEEK = 8;
    static final int IOCTL = 16;
    static final int PREAD64 = 17;
    static final int PWRITE64 = 18;
    static final int SOCKET = 41;
    static final int SENDTO = 44;
    static final int RECVFROM = 45;
    static final int SETSOCKOPT = 54;
    static final int GETSOCKOPT = 55;
    static final int KILL = 62;
    static final int FLOCK = 73;
    static final int FSYNC = 74;
    static final int FTRUNCATE = 77;
    static final int FCHMOD = 91;
    static final int FCHOWN = 93;
    static final int CHMOD = 90;
    static final int STATFS = 137;
    static final int FSTATFS = 138;
    static final int MOUNT = 165;
    static final int UMOUNT2 = 166;
    static final int SETHOSTNAME = 170;
    static final int LSETXATTR = 189;
    static final int LGETXATTR = 192;
    static final int LLISTXATTR = 195;
    static final int LREMOVEXATTR = 198;
    static final int GETDENTS64 = 217;
    static final int EPOLL_WAIT = 232;
    static final int EPOLL_CTL = 233;
    static final int OPENAT = 257;
    static final int MKDIRAT = 258;
    static final int MKNODAT = 259;
    static final int FCHOWNAT = 260;
    static final int UNLINKAT = 263;
    static final int LINKAT = 265;
    static final int SYMLINKAT = 266;
    static final int READLINKAT = 267;
    static final int UTIMENSAT = 280;
    static final int EPOLL_CREATE1 = 291;
    static final int PRLIMIT64 = 302;
    static final int SYNCFS = 306;
    static final int SETNS = 308;
    static final int RENAMEAT2 = 316;
    static final int STATX = 332;
    static final int PIDFD_SEND_SIGNAL = 424;
    static final int PIDFD_OPEN = 434;
    static final int OPENAT2 = 437;

    private Nr() {}
}
