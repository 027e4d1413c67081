// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// One class of contents (`packages caches history browser temporary credentials logs other`): files, their bytes and the first paths. A file
/// with a credential in it counts in its own class and in `credentials`.
public record ContentTally(String name, String order, long files, long bytes, List<String> samples) {}
