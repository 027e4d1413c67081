// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.kernel.CgroupDir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;

/// `cgroup.freeze` and `cgroup.kill` (Linux 5.14) of the version 2 tree.
record V2Freezer(CgroupDir dir) implements Freezer {

    @Override
    public void freeze() {
        dir.set("cgroup.freeze", "1");
        Await.until("freezing", () -> event("frozen") == 1);
    }

    @Override
    public void thaw() {
        dir.set("cgroup.freeze", "0");
        Await.until("thawing", () -> event("frozen") == 0);
    }

    @Override
    public boolean frozen() {
        return event("frozen") == 1;
    }

    @Override
    public boolean populated() {
        return event("populated") == 1;
    }

    @Override
    public void kill() {
        try {
            dir.set("cgroup.kill", "1");
        } catch (KernelException e) {
            if (!e.is(Errno.ENOENT, Errno.ENODEV)) {
                throw e;
            }
        }
        Await.until("ending all processes", () -> !populated());
    }

    /// 0 if the group is gone: nothing is in it.
    private long event(String key) {
        return dir.value("cgroup.events", key).orElse(0);
    }
}
