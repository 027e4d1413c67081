// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// The documents of a policy, the outermost first, as they were read.
public record PolicySources(String name, List<Document> documents) {

    /// `layer`: whose it is (`floor`, `tenant`, `template`, `request`); `source`: what it is called.
    public record Document(String layer, String source, String text) {}
}
