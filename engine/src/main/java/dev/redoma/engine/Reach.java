// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

/// What a guest is told of its network before its first program runs, by the policy of its sandbox.
enum Reach {
    /// Nothing leaves.
    NONE,
    /// Its resolver.
    OUT,
    /// Its resolver, and whom to trust beside those whom its template does.
    TRUSTING
}
