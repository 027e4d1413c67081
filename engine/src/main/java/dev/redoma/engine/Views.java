// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.Sandbox;
import org.jspecify.annotations.Nullable;

/// Sandboxes as the API shows them.
final class Views {
    private Views() {}

    static Sandbox of(SandboxRow r) {
        return of(r, null);
    }

    /// `reused`: whether a create answered with one that was there before.
    static Sandbox of(SandboxRow r, @Nullable Boolean reused) {
        return new Sandbox(
                r.id().value(), r.name(), r.tenant().value(), r.state().wire(), r.reason(), r.template(), r.labels(), r.isolation(),
                r.privileges(), r.policy(), r.reopen(), r.onTimeout(), r.limits(), r.createdAt(), r.startedAt(), r.endsAt(), r.endedAt(),
                r.starts(), reused, r.warm(), r.forkedFrom(), r.createdBy(), r.mounts(), r.workspace());
    }
}
