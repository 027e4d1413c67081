// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.TenantId;

/// Sandboxes that one kind of warm member can become: same tenant, template version, tier, privileges, and those limits that cannot be
/// changed once it runs; and what it was told of its network beforehand, since nothing of that is seen in a sandbox that nothing leaves.
record WarmKey(TenantId tenant, String digest, String tier, boolean sudo, long openFiles, long shmBytes, Reach reach) {

    static WarmKey of(TenantId tenant, Plan plan, Reach reach) {
        InstanceLimits limits = plan.enforced();
        return new WarmKey(tenant, plan.source().ref().digest(), plan.tier().name(), plan.privileges().equals("sudo"), limits.openFiles(), limits.shmBytes(), reach);
    }
}
