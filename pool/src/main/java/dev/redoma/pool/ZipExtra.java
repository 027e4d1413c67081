// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Optional;

/// What the extra fields of a zip's directory add to a member: 64-bit lengths, and the exact time.
record ZipExtra(long size, long packed, long header, Optional<Instant> modified) {
    private static final int LARGE = 0x0001;
    private static final int WINDOWS = 0x000a;
    private static final int UNIX_TIME = 0x5455;
    private static final long UNKNOWN = 0xFFFF_FFFFL;
    /// Hundreds of nanoseconds from 1601 to 1970.
    private static final long EPOCH = 116_444_736_000_000_000L;

    static ZipExtra parse(ByteBuffer in, long size, long packed, long header) throws TarFlaw {
        long s = size;
        long p = packed;
        long h = header;
        Optional<Instant> exact = Optional.empty();
        Optional<Instant> seconds = Optional.empty();
        while (in.remaining() >= 4) {
            int id = Short.toUnsignedInt(in.getShort());
            int length = Short.toUnsignedInt(in.getShort());
            if (length > in.remaining()) {
                break; // padding that some writers leave
            }
            var field = in.slice(in.position(), length).order(ByteOrder.LITTLE_ENDIAN);
            in.position(in.position() + length);
            switch (id) {
                case LARGE -> {
                    s = s == UNKNOWN ? large(field) : s;
                    p = p == UNKNOWN ? large(field) : p;
                    h = h == UNKNOWN ? large(field) : h;
                }
                case WINDOWS -> exact = windows(field);
                case UNIX_TIME -> seconds = field.remaining() >= 5 && (field.get(0) & 1) != 0 ? Optional.of(Instant.ofEpochSecond(field.getInt(1))) : Optional.empty();
                default -> {}
            }
        }
        return new ZipExtra(s, p, h, exact.isPresent() ? exact : seconds);
    }

    private static long large(ByteBuffer field) throws TarFlaw {
        if (field.remaining() < 8) {
            throw new TarFlaw("a 64-bit length is missing");
        }
        return field.getLong();
    }

    private static Optional<Instant> windows(ByteBuffer field) {
        if (field.remaining() < 32 || Short.toUnsignedInt(field.getShort(4)) != 1) {
            return Optional.empty();
        }
        long ticks = field.getLong(8) - EPOCH;
        return Optional.of(Instant.ofEpochSecond(Math.floorDiv(ticks, 10_000_000L), Math.floorMod(ticks, 10_000_000L) * 100));
    }

    /// Two-second steps of a clock without a zone, taken as UTC.
    static Instant dosTime(int date, int time) {
        try {
            return LocalDateTime.of(1980 + (date >> 9), date >> 5 & 15, date & 31, time >> 11, time >> 5 & 63, (time & 31) * 2).toInstant(ZoneOffset.UTC);
        } catch (DateTimeException none) {
            return Instant.EPOCH;
        }
    }
}
