// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import org.jspecify.annotations.Nullable;

/// One step of a journal, in the order in which they are done; each can be told done or not from what lies in the journal's directory, and be undone. `path` is below the target; `at` names what it moves.
/// `remove`: the target goes to `old/at`. `rmdir`, `mkdir`: `mode` is that of the directory. `put`: `new/at` goes to the target. `chmod`: from `before` to `mode`; without `before` it is of
/// a directory that this very journal made.
record Step(String kind, String path, @Nullable String at, @Nullable String before, @Nullable String mode) {
    static final String REMOVE = "remove";
    static final String RMDIR = "rmdir";
    static final String MKDIR = "mkdir";
    static final String PUT = "put";
    static final String CHMOD = "chmod";
}
