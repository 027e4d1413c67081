// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Somebody who has joined a command and is there now: by which key, whose it is, by which grant (null: who may use the sandbox anyway), and whether they can type.
public record Attachment(String id, String sandbox, String exec, String mode, String key, @Nullable String person, @Nullable String grant, Instant since) {}
