// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Amounts;
import dev.redoma.model.Caller;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.SnapshotId;
import dev.redoma.model.VolumeId;
import dev.redoma.model.wire.CreateVolume;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Decides every value of a new volume; what cannot be had is refused by the name of its field.
final class VolumeRules {
    /// The first user of nearly every distribution, and of the shipped templates.
    private static final String OWNER = "1000:1000";
    private static final Pattern OWNERS = Pattern.compile("(\\d{1,5}):(\\d{1,5})");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?");
    private static final long LEAST = 1L << 20;

    private final long common;
    private final long most;

    VolumeRules(EngineConfig config) {
        this.common = LimitRules.disk(config.bounds().defaults());
        this.most = LimitRules.disk(config.bounds().most());
    }

    VolumeRow fresh(Caller caller, CreateVolume r, Instant now) {
        String name = r.name();
        if (name == null || !NAME.matcher(name).matches() || VolumeId.looksLike(name) || SandboxId.looksLike(name) || SnapshotId.looksLike(name)) {
            throw Problem.field("name", "not a name", "1 to 63 of A-Z, a-z, 0-9 and inner '-' and '_', not in the form of an id");
        }
        long[] owner = owner(r.owner());
        return new VolumeRow(VolumeId.mint(), caller.tenant(), name, VolumeRow.Kind.VOLUME, "creating", VolumeRow.CREATE,
                r.sizeBytes() == null ? common : size(r.sizeBytes()), Boolean.TRUE.equals(r.shared()), owner[0], owner[1], RequestRules.labels(r.labels()),
                null, null, now, caller.key());
    }

    long size(long bytes) {
        if (bytes < LEAST || bytes > most) {
            throw Problem.field("sizeBytes", "out of range", Amounts.ofField("sizeBytes", LEAST, most));
        }
        return bytes;
    }

    private static long[] owner(@Nullable String asked) {
        return ids("owner", asked == null ? OWNER : asked);
    }

    /// `uid` (then the group is the same) or `uid:gid`.
    static long[] ids(String field, String asked) {
        var m = OWNERS.matcher(asked.matches("\\d{1,5}") ? asked + ":" + asked : asked);
        if (!m.matches() || Long.parseLong(m.group(1)) >= UidRange.WIDTH || Long.parseLong(m.group(2)) >= UidRange.WIDTH) {
            throw Problem.field(field, "not an owner", "numbers of a user and a group as seen inside, such as 1000:1000, each up to 65535");
        }
        return new long[] {Long.parseLong(m.group(1)), Long.parseLong(m.group(2))};
    }
}
