// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.client.http.Body;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.TagTemplate;
import dev.redoma.model.wire.Template;
import java.nio.file.Path;
import java.util.List;

/// Template versions of the server. Thread-safe.
public final class Templates {
    private final Api api;

    Templates(Api api) {
        this.api = api;
    }

    public List<Template> list() {
        Page<Template> page = api.getList(Target.of("/v1/templates"), Page.class, Template.class);
        return page.items();
    }

    /// By a reference: `name` (its tag `latest`), `name:tag`, `name@sha256:…` or `sha256:…`.
    public Template get(String template) {
        return api.get(at(template), Template.class);
    }

    /// Imports a root file system (tar, plain or compressed with gzip or zstd); the name then means the new version. Operators only.
    public Template importTar(String name, Path tar, Body.Progress progress) {
        var request = api.plain("PUT", at(name)).body(new Body.FileBody("application/x-tar", tar, progress)).patience(api.patience().work());
        return api.send(request, Template.class);
    }

    /// Lets a tag of a name point at one of its versions, by any reference to it. Operators only.
    public Template tag(String name, String tag, String version) {
        return api.put(Target.of("/v1/templates/", name, "/tags/", tag), new TagTemplate(version), Template.class);
    }

    /// Takes a tag away; the version stays. Operators only.
    public void untag(String name, String tag) {
        api.send("DELETE", Target.of("/v1/templates/", name, "/tags/", tag), null);
    }

    /// A name with all its versions, one version by its digest, or a tag with its version if that has no other. Operators only.
    public void delete(String template) {
        api.send("DELETE", at(template), null);
    }

    private static Target at(String template) {
        return Target.of("/v1/templates/", template);
    }
}
