// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Caches;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Cache;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// There is none.
final class FakeCaches implements Caches {
    @Override
    public List<Cache> list(Caller caller) {
        return List.of();
    }

    @Override
    public Cache promote(Caller caller, String sandbox, String name) {
        throw Problem.of(Code.SANDBOX_NOT_FOUND, "There is no such sandbox.", "List them.").raise();
    }

    @Override
    public int clear(Caller caller, @Nullable String template, @Nullable String name) {
        return 0;
    }
}
