// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.wire.Template;
import dev.redoma.pool.Pool;
import java.io.InputStream;
import java.util.List;
import java.util.function.Consumer;

/// Template versions: immutable, named by a digest that covers their layers and configuration. `template` is a reference: `name` (its tag
/// `latest`), `name:tag`, `name@sha256:…` or `sha256:…`.
public interface Templates {

    List<Template> list(Caller caller);

    Template get(Caller caller, String template);

    /// Imports a root file system tar, or an archive of an image (an OCI layout, or what `docker save` writes); the name (and the tag of
    /// `name:tag`) then points at the new version. Operators only.
    Template importTar(Caller caller, String name, InputStream tar, Consumer<Pool.Progress> progress);

    /// Lets a tag of a name point at one of its versions, by any reference to it; it may have pointed at another. Operators only.
    Template tag(Caller caller, String name, String tag, String version);

    /// Takes a tag away; the version stays. Operators only.
    void untag(Caller caller, String name, String tag);

    /// Removes a name with all its versions, a version (by digest), or a tag with its version if that has no other; TEMPLATE_IN_USE while
    /// sandboxes or snapshots need it. Layers that nothing else needs are gone with it. Operators only.
    void delete(Caller caller, String template);
}
