// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.model.wire.Template;
import dev.redoma.model.wire.TemplateLayer;
import java.util.ArrayList;
import java.util.List;

/// Template versions for people.
final class TemplateText {
    static final String REFERENCE = "NAME (its tag latest), NAME:TAG, NAME@sha256:… or sha256:….";

    private TemplateText() {}

    static String table(List<Template> all) {
        var rows = new ArrayList<List<String>>();
        for (Template t : all) {
            int users = t.usedBy().sandboxes() + t.usedBy().snapshots();
            rows.add(List.of(t.name(), t.tags().isEmpty() ? "-" : Text.safe(String.join(",", t.tags())), t.state(), Text.safe(t.source()), Text.size(t.sizeBytes()),
                    Text.ago(t.createdAt()), users == 0 ? "-" : String.valueOf(users), t.digest()));
        }
        return Text.table(List.of("NAME", "TAGS", "STATE", "SOURCE", "SIZE", "CREATED", "USED BY", "DIGEST"), rows);
    }

    static String of(Template t) {
        var facts = new Facts().line("name", t.name()).line("digest", t.digest()).line("tags", t.tags().isEmpty() ? null : String.join(", ", t.tags()))
                .line("state", t.state()).line("message", t.message()).line("source", t.source()).line("created", t.createdAt())
                .line("size", Text.size(t.sizeBytes()));
        var c = t.config();
        facts.line("user", c.user()).line("directory", c.cwd()).line("environment", named(c.envNames())).line("entrypoint", named(c.entrypoint()))
                .line("command", named(c.cmd())).line("ports", named(c.exposedPorts())).line("labels", c.labels().isEmpty() ? null : c.labels())
                .line("stop signal", c.stopSignal());
        int number = 0;
        for (TemplateLayer layer : t.layers()) {
            number++;
            facts.line("layer " + number + (t.layers().size() == 1 ? "" : number == 1 ? " (top)" : number == t.layers().size() ? " (bottom)" : ""), (layer.digest() == null ? layer.snapshot() : layer.digest()) + " " + Text.size(layer.sizeBytes()));
        }
        return facts.line("sandboxes", users(t.usedBy().sandboxes(), t.usedBy().sandboxIds()))
                .line("snapshots", users(t.usedBy().snapshots(), t.usedBy().snapshotIds())).text();
    }

    private static @org.jspecify.annotations.Nullable String named(List<String> list) {
        return list.isEmpty() ? null : String.join(" ", list);
    }

    private static String users(int count, List<String> ids) {
        return count == 0 ? "none" : count + ": " + String.join(" ", ids) + (count > ids.size() ? " …" : "");
    }
}
