// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import dev.redoma.model.wire.FoundCredential;
import dev.redoma.model.wire.PackageChange;
import java.util.List;
import java.util.Map;

/// What is in a saved disk beside the layers below it. `whole`: everything was looked at; `deleted`: names of the layers that are gone;
/// `unread`: files that are no text, in which no secret was looked for; `beyond`: secrets found that `credentials` does not list.
public record Manifest(
        boolean whole, Map<ContentClass, Tally> classes, long deleted, List<FoundCredential> credentials, long beyond, List<PackageChange> packages, long unread) {

    public Tally of(ContentClass c) {
        return classes.getOrDefault(c, Tally.NONE);
    }
}
