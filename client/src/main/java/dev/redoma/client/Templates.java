// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.client.http.Body;
import dev.redoma.model.wire.Page;
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

    /// By name (its newest version) or digest.
    public Template get(String template) {
        return api.get(at(template), Template.class);
    }

    /// Imports a root file system (tar, plain or compressed with gzip or zstd); the name then means the new version. Operators only.
    public Template importTar(String name, Path tar, Body.Progress progress) {
        var request = api.plain("PUT", at(name)).body(new Body.FileBody("application/x-tar", tar, progress)).patience(api.patience().work());
        return api.send(request, Template.class);
    }

    /// A name with all its versions, or one version by its digest.
    public void delete(String template) {
        api.send("DELETE", at(template), null);
    }

    private static Target at(String template) {
        return Target.of("/v1/templates/", template);
    }
}
