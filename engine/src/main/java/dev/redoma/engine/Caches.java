// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.wire.Cache;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Caches of package tools, kept for a tenant and template. Sandboxes that ask get private copies; nothing comes back but by `promote`.
public interface Caches {

    /// Of the caller's tenant (operators: of all).
    List<Cache> list(Caller caller);

    /// Makes the copy that a sandbox has the cache of its tenant and template, in place of the one before. Operators only: what a sandbox
    /// wrote will be in every later copy.
    Cache promote(Caller caller, String sandbox, String name);

    /// Those of the caller's tenant, of a template and of a name where these are given; returns how many.
    int clear(Caller caller, @Nullable String template, @Nullable String name);
}
