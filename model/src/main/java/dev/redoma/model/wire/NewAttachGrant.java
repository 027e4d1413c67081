// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// Body of `POST …/attach/grants`: who may join what runs. Either `person` or `key`, of the sandbox' tenant. `exec`: only this command; else all of the sandbox. `mode`: `read` or `write`. `ttlMs`: 1 s to 7 d, else 1 h.
public record NewAttachGrant(@Nullable String person, @Nullable String key, @Nullable String exec, String mode, @Nullable Long ttlMs) {}
