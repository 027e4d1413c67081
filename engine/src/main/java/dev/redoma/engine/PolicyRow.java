// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.PolicySources;

/// The policy of a sandbox as the database has it.
record PolicyRow(long epoch, String digest, PolicySources sources) {}
