// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/// The lists of system calls in `syscalls.txt`, and their numbers.
final class SyscallTable {
    private static final Map<String, List<String>> LISTS = lists();
    private static final Map<String, Integer> NUMBERS = numbers();

    private SyscallTable() {}

    /// `debug`: ptrace and reading other processes' memory are allowed.
    static List<String> allowed(boolean debug) {
        return Stream.concat(list("allow").stream(), debug ? list("debug").stream() : Stream.empty()).toList();
    }

    /// Those answered with EPERM.
    static List<String> refused(boolean debug) {
        return Stream.concat(list("refuse").stream(), debug ? Stream.empty() : list("debug").stream()).toList();
    }

    static int number(String name) {
        return Objects.requireNonNull(NUMBERS.get(name), name);
    }

    private static List<String> list(String name) {
        return Objects.requireNonNull(LISTS.get(name), name);
    }

    /// Sections `[name]`, names separated by blanks, `#` comments.
    private static Map<String, List<String>> lists() {
        var out = new LinkedHashMap<String, List<String>>();
        var current = new ArrayList<String>();
        for (var line : lines("syscalls.txt")) {
            if (line.startsWith("[")) {
                current = new ArrayList<>();
                out.put(line.substring(1, line.length() - 1), current);
            } else {
                current.addAll(List.of(line.split("\\s+")));
            }
        }
        return out;
    }

    private static Map<String, Integer> numbers() {
        var out = new LinkedHashMap<String, Integer>();
        for (var line : lines("x86_64.txt")) {
            for (var pair : line.split("\\s+")) {
                int at = pair.indexOf('=');
                out.put(pair.substring(0, at), Integer.parseInt(pair.substring(at + 1)));
            }
        }
        return out;
    }

    private static List<String> lines(String resource) {
        try (var in = Objects.requireNonNull(SyscallTable.class.getResourceAsStream("/dev/redoma/tiers/oci/" + resource))) {
            var text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.lines().map(l -> l.replaceFirst("#.*", "").strip()).filter(l -> !l.isEmpty()).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
