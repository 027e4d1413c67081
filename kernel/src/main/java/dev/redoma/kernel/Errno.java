// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.util.Map;

/// Error numbers of Linux that callers tell apart, and the names of all common ones.
public final class Errno {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int ESRCH = 3;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int ENXIO = 6;
    public static final int E2BIG = 7;
    public static final int EBADF = 9;
    public static final int EAGAIN = 11;
    public static final int EACCES = 13;
    public static final int EBUSY = 16;
    public static final int EEXIST = 17;
    public static final int EXDEV = 18;
    public static final int ENODEV = 19;
    public static final int ENOTDIR = 20;
    public static final int EISDIR = 21;
    public static final int ESPIPE = 29;
    public static final int EINVAL = 22;
    public static final int EFBIG = 27;
    public static final int ENOTTY = 25;
    public static final int ENOSPC = 28;
    public static final int EROFS = 30;
    public static final int ERANGE = 34;
    public static final int ENAMETOOLONG = 36;
    public static final int ENOSYS = 38;
    public static final int ENOTEMPTY = 39;
    public static final int ELOOP = 40;
    public static final int ENODATA = 61;
    public static final int EOPNOTSUPP = 95;
    public static final int ENOTCONN = 107;
    public static final int EDQUOT = 122;

    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(1, "EPERM"), Map.entry(2, "ENOENT"), Map.entry(3, "ESRCH"), Map.entry(4, "EINTR"),
            Map.entry(5, "EIO"), Map.entry(6, "ENXIO"), Map.entry(7, "E2BIG"), Map.entry(8, "ENOEXEC"),
            Map.entry(9, "EBADF"), Map.entry(10, "ECHILD"), Map.entry(11, "EAGAIN"), Map.entry(12, "ENOMEM"),
            Map.entry(13, "EACCES"), Map.entry(14, "EFAULT"), Map.entry(15, "ENOTBLK"), Map.entry(16, "EBUSY"),
            Map.entry(17, "EEXIST"), Map.entry(18, "EXDEV"), Map.entry(19, "ENODEV"), Map.entry(20, "ENOTDIR"),
            Map.entry(21, "EISDIR"), Map.entry(22, "EINVAL"), Map.entry(23, "ENFILE"), Map.entry(24, "EMFILE"),
            Map.entry(25, "ENOTTY"), Map.entry(26, "ETXTBSY"), Map.entry(27, "EFBIG"), Map.entry(28, "ENOSPC"),
            Map.entry(29, "ESPIPE"), Map.entry(30, "EROFS"), Map.entry(31, "EMLINK"), Map.entry(32, "EPIPE"),
            Map.entry(34, "ERANGE"), Map.entry(35, "EDEADLK"), Map.entry(36, "ENAMETOOLONG"), Map.entry(38, "ENOSYS"),
            Map.entry(39, "ENOTEMPTY"), Map.entry(40, "ELOOP"), Map.entry(61, "ENODATA"), Map.entry(75, "EOVERFLOW"),
            Map.entry(87, "EUSERS"), Map.entry(88, "ENOTSOCK"), Map.entry(95, "EOPNOTSUPP"), Map.entry(98, "EADDRINUSE"),
            Map.entry(107, "ENOTCONN"), Map.entry(110, "ETIMEDOUT"), Map.entry(111, "ECONNREFUSED"),
            Map.entry(116, "ESTALE"), Map.entry(122, "EDQUOT"), Map.entry(125, "ECANCELED"));

    private Errno() {}

    /// `ENOSPC`, or `errno 999` where the number is none of ours.
    public static String name(int errno) {
        return NAMES.getOrDefault(errno, "errno " + errno);
    }
}
