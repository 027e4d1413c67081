// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One policy file as it was read. `layer`: whose it is (`floor`, `tenant`, `template`, `request`); `source`: what it is called; `text`: all of it; `preview` and `setUp`: null where it says nothing of them; `keeping`: artifacts and how long they stay.
public record PolicyDocument(String layer, String source, String text, Terms terms, List<Rule> rules, @Nullable List<PreviewRule> preview, List<ApprovalRule> approve, @Nullable SetUp setUp, Keeping keeping) {

    public PolicyDocument {
        rules = List.copyOf(rules);
        approve = List.copyOf(approve);
        preview = preview == null ? null : List.copyOf(preview);
    }

    /// Of previews, approvals and set-up it says nothing.
    public PolicyDocument(String layer, String source, String text, Terms terms, List<Rule> rules) {
        this(layer, source, text, terms, rules, null, List.of(), null, Keeping.NONE);
    }

    PolicyLayer egress() {
        return new PolicyLayer(layer, source, rules);
    }
}
