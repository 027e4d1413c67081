// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.delete;
import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.put;

import dev.redoma.engine.Templates;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.TagTemplate;
import dev.redoma.model.wire.Template;
import java.io.IOException;
import java.util.List;

/// Template versions.
final class TemplateRoutes {
    private static final String ONE = "/v1/templates/{name}";
    private static final String TAG = ONE + "/tags/{tag}";

    private final Templates templates;
    private final long largest;

    TemplateRoutes(Templates templates, long largest) {
        this.templates = templates;
        this.largest = largest;
    }

    List<Operation> operations() {
        return List.of(
                get("/v1/templates", "listTemplates", "All template versions").needs(Scope.READ).answersItems(Template.class)
                        .by(c -> c.json(new Items<>(templates.list(c.caller())))),
                get(ONE, "getTemplate", "One version: name, name:tag, name@digest or digest").needs(Scope.READ).answers(200, Template.class)
                        .by(c -> c.json(templates.get(c.caller(), c.parameter("name")))),
                put(ONE, "importTemplate", "Imports a root file system (tar; plain, gzip or zstd)").needs(Scope.OPERATE).takes("application/x-tar")
                        .answers(201, Template.class).by(this::importTar),
                put(TAG, "tagTemplate", "Lets a tag point at a version of that name").needs(Scope.OPERATE).takes(TagTemplate.class).answers(200, Template.class)
                        .by(c -> c.json(templates.tag(c.caller(), c.parameter("name"), c.parameter("tag"), c.http().json(TagTemplate.class).version()))),
                delete(TAG, "untagTemplate", "Takes a tag away; the version stays").needs(Scope.OPERATE).answersNothing().by(c -> {
                    templates.untag(c.caller(), c.parameter("name"), c.parameter("tag"));
                    c.http().nothing();
                }),
                delete(ONE, "deleteTemplate", "Removes a name, a version (by digest), or a tag with what has no other").needs(Scope.OPERATE).answersNothing().by(c -> {
                    templates.delete(c.caller(), c.parameter("name"));
                    c.http().nothing();
                }));
    }

    private void importTar(Call call) throws IOException {
        var body = new GuardedInput(call.http().body(largest), call.guard());
        call.http().json(201, templates.importTar(call.caller(), call.parameter("name"), body, progress -> {}));
    }
}
