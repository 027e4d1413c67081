// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.engine.Sandboxes;
import dev.redoma.model.wire.Sandbox;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/// What the daemon tells about the sandbox itself, as the host reads it.
final class Readings {
    private static final Duration BETWEEN = Duration.ofMillis(100);
    private static final long MIB = 1L << 20;

    private final Sandboxes sandboxes;

    Readings(Sandboxes sandboxes) {
        this.sandboxes = sandboxes;
    }

    Map<String, Object> metrics(Box box, Sandbox sandbox) throws InterruptedException {
        long began = System.nanoTime();
        long before = sandboxes.usage(box.caller(), box.id()).cpuMs();
        Thread.sleep(BETWEEN);
        var usage = sandboxes.usage(box.caller(), box.id());
        double wall = (System.nanoTime() - began) / 1e6;
        var cpu = sandbox.limits().cpu();
        var all = new LinkedHashMap<String, Object>();
        all.put("ts", Instant.now().getEpochSecond());
        all.put("cpu_count", cpu == null ? 1 : Math.max(1, Math.round(cpu)));
        all.put("cpu_used_pct", Math.round((usage.cpuMs() - before) / wall * 10_000) / 100.0);
        all.put("mem_total", usage.memoryLimitBytes());
        long used = usage.memoryBytes() - usage.memoryCacheBytes();
        all.put("mem_used", used);
        all.put("mem_cache", usage.memoryCacheBytes());
        all.put("mem_total_mib", usage.memoryLimitBytes() / MIB);
        all.put("mem_used_mib", used / MIB);
        all.put("disk_used", usage.diskBytes());
        all.put("disk_total", usage.diskLimitBytes());
        return all;
    }

    Map<String, String> env(Box box) {
        return sandboxes.env(box.caller(), box.id());
    }
}
