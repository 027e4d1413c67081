// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// Who is attached to commands of a sandbox at this moment, and who may join; both the oldest first.
public record Attached(List<Attachment> attachments, List<AttachGrant> grants) {}
