// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

/// Names an instance across restarts of the server: the host pid of its init with start time (field 22 of /proc/pid/stat), so
/// that a reused pid is never taken for it.
public record InstanceRef(String name, int pid, long startTicks) {}
