// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What the host really has at one moment, read from /proc. `openFiles`: what a process of the server may open at most, and so one of a sandbox.
record HostReading(int cores, long memoryTotal, long memoryAvailable, long tasks, long tasksMax, long openFiles) {
    private static final Pattern TOTAL = Pattern.compile("MemTotal:\\s+(\\d+) kB");
    private static final Pattern AVAILABLE = Pattern.compile("MemAvailable:\\s+(\\d+) kB");
    private static final Pattern OPEN_FILES = Pattern.compile("Max open files\\s+\\S+\\s+(\\d+)\\s");
    private static final Pattern TASKS = Pattern.compile("\\S+ \\S+ \\S+ \\d+/(\\d+) ");

    static HostReading now() {
        String memory = read("/proc/meminfo");
        return new HostReading(
                Runtime.getRuntime().availableProcessors(),
                number(TOTAL, memory) * 1024,
                number(AVAILABLE, memory) * 1024,
                number(TASKS, read("/proc/loadavg")),
                Math.min(Long.parseLong(read("/proc/sys/kernel/pid_max").strip()), Long.parseLong(read("/proc/sys/kernel/threads-max").strip())),
                number(OPEN_FILES, read("/proc/self/limits")));
    }

    private static long number(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        if (!found.find()) {
            throw unreadable(new IOException("no " + pattern));
        }
        return Long.parseLong(found.group(1));
    }

    /// In one read: a sysctl answers only the first, and `Files.readString` begins with a single byte.
    private static String read(String file) {
        try (var in = new FileInputStream(file)) {
            byte[] bytes = new byte[8192];
            int length = in.read(bytes);
            return new String(bytes, 0, Math.max(0, length), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private static dev.redoma.model.RedomaException unreadable(IOException e) {
        return Problem.of(Code.HOST_FAILED, "The host's free memory and tasks cannot be read.", "See that /proc is mounted.").raise(e);
    }
}
