// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import java.util.List;

/// How an archive is to be: `format` is `tar` or `zip`; `include`: only what matches one of these patterns (none: all), such as `reports/**`.
public record ArchiveOptions(String format, List<String> include) {
    public static final ArchiveOptions TAR = new ArchiveOptions("tar", List.of());
    public static final ArchiveOptions ZIP = new ArchiveOptions("zip", List.of());

    public ArchiveOptions {
        include = List.copyOf(include);
    }

    Target apply(Target target) {
        target.with("format", format);
        include.forEach(pattern -> target.with("include", pattern));
        return target;
    }
}
