// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What the host really has at one moment, read from /proc.
record HostReading(int cores, long memoryTotal, long memoryAvailable, long tasks, long tasksMax) {
    private static final Pattern TOTAL = Pattern.compile("MemTotal:\\s+(\\d+) kB");
    private static final Pattern AVAILABLE = Pattern.compile("MemAvailable:\\s+(\\d+) kB");
    private static final Pattern TASKS = Pattern.compile("\\S+ \\S+ \\S+ \\d+/(\\d+) ");

    static HostReading now() {
        String memory = read("/proc/meminfo");
        return new HostReading(
                Runtime.getRuntime().availableProcessors(),
                number(TOTAL, memory) * 1024,
                number(AVAILABLE, memory) * 1024,
                number(TASKS, read("/proc/loadavg")),
                Math.min(Long.parseLong(read("/proc/sys/kernel/pid_max").strip()), Long.parseLong(read("/proc/sys/kernel/threads-max").strip())));
    }

    private static long number(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        if (!found.find()) {
            throw unreadable(new IOException("no " + pattern));
        }
        return Long.parseLong(found.group(1));
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private static dev.redoma.model.RedomaException unreadable(IOException e) {
        return Problem.of(Code.HOST_FAILED, "The host's free memory and tasks cannot be read.", "See that /proc is mounted.").raise(e);
    }
}
