// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Body of `POST …/apply`: the digest of the workspace's change set that was reviewed, patterns of what is wanted of it (none: all), and where it goes, for the record.
public record ApplyChanges(String digest, @Nullable List<String> only, @Nullable String target) {}
