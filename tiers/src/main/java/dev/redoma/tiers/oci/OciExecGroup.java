// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.engine.Instance.ExecGroup;
import java.util.concurrent.atomic.AtomicLong;

/// One exec's groups. `past` takes its OOM kills over when they go.
record OciExecGroup(BoxGroups.ExecGroups groups, AtomicLong past) implements ExecGroup {

    @Override
    public void kill() {
        groups.freezer().kill();
    }

    @Override
    public boolean populated() {
        return groups.freezer().populated();
    }

    @Override
    public long oomKills() {
        return groups.oomKills();
    }

    @Override
    public long cpuMicros() {
        return groups.cpuMicros();
    }

    @Override
    public long peakMemoryBytes() {
        return groups.memoryPeakBytes();
    }

    @Override
    public boolean remove() {
        long kills = groups.countsLost() ? groups.oomKills() : 0;
        boolean gone = groups.tryRemove();
        if (gone) {
            past.addAndGet(kills);
        }
        return gone;
    }
}
