// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import dev.redoma.model.wire.Change;
import java.io.IOException;
import java.util.List;

/// What a reviewed change set goes to: all of it or nothing.
public sealed interface Target extends AutoCloseable permits Applying, Branch {
    /// Where the contents come from: puts each file that is named into `into`.
    interface Contents {
        void fetch(List<Change> files, Incoming into) throws IOException;
    }

    /// `over`: what is otherwise in the target than it was at the start is replaced; else that refuses all of it.
    void apply(List<Change> changes, boolean over, Contents contents, Origin origin) throws IOException;

    /// Paths in the target that are not as they were at the start, or in the way.
    List<String> differing(List<Change> changes) throws IOException;

    @Override
    void close();
}
