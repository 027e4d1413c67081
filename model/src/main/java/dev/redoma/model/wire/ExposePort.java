// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// Body of `POST …/exposures`. `audience`: `tenant` (whoever shows a key of the sandbox's tenant), `token` (whoever shows the token of the answer; where nothing is said) or `public`.
/// `ttlMs`: for how long, an hour where nothing is said, and less where the policy allows less.
public record ExposePort(int port, @Nullable String audience, @Nullable Long ttlMs) {}
