// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;

/// Tells by its first bytes whether a file is an archive that can be unpacked here: a tar, plain or packed by gzip or zstd.
public final class TarProbe {
    private static final int BLOCK = 512;

    private TarProbe() {}

    /// `PACKED`: by a method that is not taken, so that what is in it is not known.
    public enum Form { TAR, PACKED, OTHER }

    /// Of a file, read from its beginning. An IOException: it begins as gzip or zstd, and goes on as neither.
    public static Form of(InputStream file) throws IOException {
        var in = new BufferedInputStream(file, BLOCK);
        in.mark(BLOCK);
        byte[] head = in.readNBytes(BLOCK);
        in.reset();
        if (begins(head, 'B', 'Z', 'h') || begins(head, 0xfd, '7', 'z', 'X', 'Z')) {
            return Form.PACKED;
        }
        return isHeader(Unpacked.of(in).readNBytes(BLOCK)) ? Form.TAR : Form.OTHER;
    }

    private static boolean begins(byte[] head, int... magic) {
        for (int i = 0; i < magic.length; i++) {
            if (head.length <= i || (head[i] & 0xff) != magic[i]) {
                return false;
            }
        }
        return true;
    }

    /// By its sum, which every form of tar has, and by a name.
    private static boolean isHeader(byte[] block) {
        if (block.length < BLOCK || block[0] == 0) {
            return false;
        }
        int sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= 148 && i < 156 ? ' ' : block[i] & 0xff;
        }
        int told = 0;
        int digits = 0;
        for (int i = 148; i < 156; i++) {
            if (block[i] >= '0' && block[i] <= '7') {
                told = told * 8 + block[i] - '0';
                digits++;
            } else if (digits > 0) {
                break;
            } else if (block[i] != ' ') {
                return false;
            }
        }
        return digits > 0 && told == sum;
    }
}
