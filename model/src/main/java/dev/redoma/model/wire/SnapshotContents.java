// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// What is in a saved disk beside the layers below it, as read now. `whole`: everything was looked at; `deleted`: names of the layers that
/// are gone in it; `unread`: files that are no text, in which no secret was looked for; `credentialsBeyond`: more than are listed.
public record SnapshotContents(
        String snapshot,
        String digest,
        boolean whole,
        List<ContentTally> classes,
        List<FoundCredential> credentials,
        long credentialsBeyond,
        List<PackageChange> packages,
        long deleted,
        long unread) {}
