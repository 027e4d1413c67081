// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.TenantId;

/// Sandboxes that one kind of warm member can become: same tenant, template version, tier, privileges, and those limits that cannot be
/// changed once it runs.
record WarmKey(TenantId tenant, String digest, String tier, boolean sudo, long openFiles, long shmBytes) {

    static WarmKey of(TenantId tenant, Plan plan) {
        InstanceLimits limits = plan.enforced();
        return new WarmKey(tenant, plan.source().ref().digest(), plan.tier().name(), plan.privileges().equals("sudo"), limits.openFiles(), limits.shmBytes());
    }
}
