// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.nio.file.Path;
import java.util.List;

/// What a tier needs to start an instance. `name` is unique in the installation (the sandbox id, or that of a warm member).
/// `lowers`: top first. `channelDir`: host directory (0700, owned by `range.base()`) that appears read-only as `/run/redoma` inside;
/// the listening socket `guest.sock` is in it before this is used. `sudo`: set-uid works (else no_new_privs). `circle`:
/// instances of one circle may share pages of the host's files (a tenant's; an untrusted sandbox is its own); letters, digits, `-` and `_`.
/// `volumes` lie where none of them is above another.
public record InstanceSpec(
        String name,
        List<Lower> lowers,
        Path upper,
        Path work,
        UidRange range,
        String hostname,
        String bootId,
        InstanceLimits limits,
        Path channelDir,
        boolean sudo,
        String circle,
        List<Volume> volumes) {

    /// Without volumes.
    public InstanceSpec(String name, List<Lower> lowers, Path upper, Path work, UidRange range, String hostname, String bootId, InstanceLimits limits,
            Path channelDir, boolean sudo, String circle) {
        this(name, lowers, upper, work, range, hostname, bootId, limits, channelDir, sudo, circle, List.of());
    }

    /// With nobody to share memory with.
    public InstanceSpec(String name, List<Lower> lowers, Path upper, Path work, UidRange range, String hostname, String bootId, InstanceLimits limits,
            Path channelDir, boolean sudo) {
        this(name, lowers, upper, work, range, hostname, bootId, limits, channelDir, sudo, name);
    }

    /// A lower directory and the uid base its files are owned from (0 for template layers, a range's base for a saved upper).
    public record Lower(Path dir, long uidBase) {}

    /// A directory whose files are owned from uid 0, to appear at `path` (absolute, plain components) as the sandbox's own; set-uid bits and
    /// devices in it have no effect.
    public record Volume(Path dir, String path, boolean readOnly) {}
}
