// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.AttachGrant;
import dev.redoma.model.wire.Attached;
import dev.redoma.model.wire.NewAttachGrant;

/// Who may join what runs in a sandbox, and who has. One joins by `RunningExec.join`. Thread-safe.
public final class Attaching {
    private final Api api;
    private final String id;

    Attaching(Api api, String id) {
        this.api = api;
        this.id = id;
    }

    /// Who is there now, and who may join.
    public Attached list() {
        return api.get(Target.of("/v1/sandboxes/", id, "/attach"), Attached.class);
    }

    /// By who made the sandbox, or an operator.
    public AttachGrant grant(NewAttachGrant what) {
        return api.post(Target.of("/v1/sandboxes/", id, "/attach/grants"), what, AttachGrant.class);
    }

    /// Whoever is attached by it is cut off when this returns.
    public void revoke(String grant) {
        api.send("DELETE", Target.of("/v1/sandboxes/", id, "/attach/grants/", grant), null);
    }
}
