// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Of one class: how many files with how many bytes, and the first paths.
public record Tally(long files, long bytes, List<String> samples) {
    private static final int SAMPLES = 10;
    static final Tally NONE = new Tally(0, 0, List.of());

    Tally plus(Supplier<String> path, long size) {
        List<String> more = samples.size() < SAMPLES ? Stream.concat(samples.stream(), Stream.of(path.get())).toList() : samples;
        return new Tally(files + 1, bytes + size, more);
    }
}
