// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Problem;
import org.jspecify.annotations.Nullable;

/// Permission bits as text: three or four octal digits in, four out.
final class FileModes {
    private FileModes() {}

    static int parse(String mode) {
        if (!mode.matches("[0-7]{3,4}")) {
            throw Problem.field("mode", "'" + GuestErrors.clean(mode) + "' is no mode", "three or four octal digits, e.g. 0644");
        }
        return Integer.parseInt(mode, 8);
    }

    /// 0 stands for none given; no new file without any permission can be asked for.
    static int orNone(@Nullable String mode) {
        if (mode == null) {
            return 0;
        }
        int bits = parse(mode);
        if (bits == 0) {
            throw Problem.field("mode", "0000 would let nobody in", "a mode with at least one bit; 0000 can be set afterwards");
        }
        return bits;
    }

    static String show(int mode) {
        var digits = Integer.toOctalString(mode & 07777);
        return "0".repeat(4 - digits.length()) + digits;
    }
}
