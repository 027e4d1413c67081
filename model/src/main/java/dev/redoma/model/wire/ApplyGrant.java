// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// The change set is still what was reviewed, and may be applied: the paths of it that are wanted. `id` names it on record.
public record ApplyGrant(String id, String digest, List<String> paths) {}
