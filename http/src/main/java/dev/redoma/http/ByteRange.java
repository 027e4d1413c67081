// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A single byte range of RFC 9110. `first` is negative for the last `-first` bytes; `last` is negative when open.
public record ByteRange(long first, long last) {
    private static final Pattern FORM = Pattern.compile("bytes=(\\d{0,18})-(\\d{0,18})");

    /// Empty where there is none, or one that we may ignore (several ranges, other units, nonsense).
    public static Optional<ByteRange> of(@Nullable String header) {
        var m = FORM.matcher(header == null ? "" : header.strip());
        if (!m.matches() || m.group(1).isEmpty() && m.group(2).isEmpty()) {
            return Optional.empty();
        }
        if (m.group(1).isEmpty()) {
            return Optional.of(new ByteRange(-Long.parseLong(m.group(2)), -1));
        }
        long first = Long.parseLong(m.group(1));
        long last = m.group(2).isEmpty() ? -1 : Long.parseLong(m.group(2));
        return last >= 0 && last < first ? Optional.empty() : Optional.of(new ByteRange(first, last));
    }

    /// Offset in a file of that size.
    public long offset(long size) {
        return first < 0 ? Math.max(0, size + first) : first;
    }

    /// Bytes there are in this range; 0 or less where it cannot be satisfied.
    public long length(long size) {
        long end = first < 0 || last < 0 ? size : Math.min(size, last + 1);
        return end - offset(size);
    }
}
