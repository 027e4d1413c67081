// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// How the text of one file of a change set differs, as a unified diff. `patch` null: not shown, and `why` says so: `binary`, `large`, `bounds` (of all patches together), `gone` (it changed or vanished since), `unread`.
public record FilePatch(String path, String kind, @Nullable String patch, @Nullable String why) {}
