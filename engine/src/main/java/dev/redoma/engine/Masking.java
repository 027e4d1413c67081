// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.redact.Patterns;
import dev.redoma.model.SandboxId;

/// What is not to be seen of a sandbox: in the output of its commands, and in what is said of them.
interface Masking {
    /// Tokens by their shape alone.
    Masking SHAPES = new Masking() {
        @Override
        public Patterns output(SandboxId sandbox) {
            return Patterns.shapes();
        }

        @Override
        public Patterns words(SandboxId sandbox) {
            return Patterns.shapes();
        }
    };

    Patterns output(SandboxId sandbox);

    Patterns words(SandboxId sandbox);

    /// Another number than before where more is to be masked.
    default long changes(SandboxId sandbox) {
        return 0;
    }
}
