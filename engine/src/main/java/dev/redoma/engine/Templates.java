// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.wire.Template;
import dev.redoma.pool.Pool;
import java.io.InputStream;
import java.util.List;
import java.util.function.Consumer;

/// Template versions: named, immutable, content-addressed.
public interface Templates {

    List<Template> list(Caller caller);

    /// By name (its newest version) or digest.
    Template get(Caller caller, String template);

    /// Imports a root file system tar; the name then points at the new version. Operators only.
    Template importTar(Caller caller, String name, InputStream tar, Consumer<Pool.Progress> progress);

    /// Removes a version (by digest) or a name with all its versions; TEMPLATE_IN_USE while sandboxes or snapshots need it.
    void delete(Caller caller, String template);
}
