// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Lets those members through that are chosen, and with the first below a directory that directory, so that it gets its own mode and time.
/// Directories come before what is in them.
final class Selecting implements ArchiveSink {
    private final ArchiveSink to;
    private final Predicate<List<String>> chosen;
    private final Deque<Held> above = new ArrayDeque<>();

    private record Held(List<String> parts, TarEntry entry) {}

    Selecting(ArchiveSink to, Predicate<List<String>> chosen) {
        this.to = to;
        this.chosen = chosen;
    }

    @Override
    public void put(TarEntry entry, Content content) throws IOException {
        var parts = Stream.of(entry.name().split("/")).filter(p -> !p.isEmpty() && !p.equals(".")).toList();
        while (!above.isEmpty() && !begins(above.getLast().parts(), parts)) {
            above.removeLast();
        }
        if (chosen.test(parts)) {
            while (!above.isEmpty()) {
                to.put(above.removeFirst().entry(), Content.NONE);
            }
            to.put(entry, content);
        } else if (entry.kind() == TarEntry.Kind.DIRECTORY) {
            above.addLast(new Held(parts, entry));
        }
    }

    private static boolean begins(List<String> above, List<String> parts) {
        return above.size() < parts.size() && parts.subList(0, above.size()).equals(above);
    }

    @Override
    public void finish() throws IOException {
        to.finish();
    }
}
