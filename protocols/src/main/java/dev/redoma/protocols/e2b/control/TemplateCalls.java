// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.redoma.engine.Sandboxes;
import dev.redoma.engine.Templates;
import dev.redoma.http.Route;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.SnapshotId;
import dev.redoma.model.TemplateReference;
import dev.redoma.model.wire.Template;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Templates that are there, their tags and their names. What clients call a build of a template is a version of it here.
final class TemplateCalls {
    private final Endpoints on;
    private final Templates templates;
    private final Sandboxes sandboxes;

    TemplateCalls(Endpoints on, Templates templates, Sandboxes sandboxes) {
        this.on = on;
        this.templates = templates;
        this.sandboxes = sandboxes;
    }

    public record Known(String templateID, @JsonProperty("public") boolean everybodys) {}

    public record Tag(String tag, String buildID, Instant createdAt) {}

    public record Tagging(String target, List<String> tags) {}

    public record Untagging(String name, List<String> tags) {}

    public record Tagged(String buildID, List<String> tags) {}

    /// `spawnCount`: how many sandboxes stand on it now.
    public record Listed(
            String templateID,
            String buildID,
            int cpuCount,
            long memoryMB,
            long diskSizeMB,
            @JsonProperty("public") boolean everybodys,
            List<String> aliases,
            List<String> names,
            Instant createdAt,
            Instant updatedAt,
            @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String createdBy,
            @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Instant lastSpawnedAt,
            int spawnCount,
            int buildCount,
            String envdVersion,
            String buildStatus) {}

    public record Version(String buildID, String status, Instant createdAt, Instant updatedAt, int cpuCount, long memoryMB, long diskSizeMB, String envdVersion) {}

    public record WithBuilds(
            String templateID,
            @JsonProperty("public") boolean everybodys,
            List<String> aliases,
            List<String> names,
            Instant createdAt,
            Instant updatedAt,
            @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Instant lastSpawnedAt,
            int spawnCount,
            List<Version> builds) {}

    List<Route> routes(Settings settings) {
        return List.of(
                on.get("/templates", Scope.READ, c -> c.http().json(200, list(c, settings))),
                on.get("/v2/templates", Scope.READ, c -> c.http().json(200, list(c, settings))),
                on.get("/templates/{template}", Scope.READ, c -> c.http().json(200, one(c, settings))),
                on.patch("/v2/templates/{template}", Scope.OPERATE, TemplateCalls::publish),
                on.patch("/templates/{template}", Scope.OPERATE, TemplateCalls::publish),
                on.get("/templates/aliases/{alias}", Scope.READ, c -> c.http().json(200, new Known(found(c, c.parameter("alias")).name(), true))),
                on.get("/templates/{template}/tags", Scope.READ, c -> c.http().json(200, tags(c))),
                on.post("/templates/tags", Scope.OPERATE, this::tag),
                on.delete("/templates/tags", Scope.OPERATE, this::untag),
                on.delete("/templates/{template}", Scope.CREATE, this::delete));
    }

    private static void publish(Asked c) {
        throw Egress.notOffered("public", "templates are the installation's: every tenant may use them.", "Leave it as it is.");
    }

    private Template found(Asked c, String name) {
        return templates.get(c.caller(), Names.reference(c.caller(), name));
    }

    private List<Listed> list(Asked c, Settings settings) {
        var byName = new LinkedHashMap<String, List<Template>>();
        templates.list(c.caller()).forEach(t -> byName.computeIfAbsent(t.name(), n -> new ArrayList<>()).add(t));
        return byName.values().stream().map(versions -> listed(versions, settings)).toList();
    }

    private WithBuilds one(Asked c, Settings settings) {
        var name = found(c, c.parameter("template")).name();
        var versions = templates.list(c.caller()).stream().filter(t -> t.name().equals(name)).sorted(Comparator.comparing(Template::createdAt).reversed()).toList();
        var listed = listed(versions, settings);
        return new WithBuilds(name, true, listed.aliases(), listed.names(), listed.createdAt(), listed.updatedAt(), null, listed.spawnCount(), versions.stream()
                .map(v -> new Version(build(v.digest()), v.state().equals("failed") ? "error" : v.state(), v.createdAt(), v.createdAt(), settings.cores(), settings.memoryMb(),
                        settings.diskMb(), Answers.ENVD)).toList());
    }

    private static Listed listed(List<Template> versions, Settings settings) {
        var newest = versions.stream().max(Comparator.comparing(Template::createdAt)).orElseThrow();
        var first = versions.stream().map(Template::createdAt).min(Comparator.naturalOrder()).orElseThrow();
        int users = versions.stream().mapToInt(v -> v.usedBy().sandboxes()).sum();
        return new Listed(newest.name(), build(newest.digest()), settings.cores(), settings.memoryMb(), settings.diskMb(), true, List.of(newest.name()),
                List.of(newest.name()), first, newest.createdAt(), null, null, users, versions.size(), Answers.ENVD,
                newest.state().equals("failed") ? "error" : newest.state());
    }

    /// Clients want a UUID; it is made of the version's digest, always the same.
    static String build(String digest) {
        return UUID.nameUUIDFromBytes(digest.getBytes(StandardCharsets.US_ASCII)).toString();
    }

    /// `createdAt` is the version's.
    private List<Tag> tags(Asked c) {
        var name = found(c, c.parameter("template")).name();
        return templates.list(c.caller()).stream().filter(t -> t.name().equals(name))
                .flatMap(t -> t.tags().stream().map(tag -> new Tag(Names.theirs(tag), build(t.digest()), t.createdAt()))).toList();
    }

    private void tag(Asked c) throws IOException {
        var asked = Requests.body(c.http(), Tagging.class);
        var version = found(c, asked.target());
        for (var tag : asked.tags()) {
            TemplateReference.tag("tags", Names.tag(tag));
        }
        for (var tag : asked.tags()) {
            templates.tag(c.caller(), version.name(), Names.tag(tag), version.digest());
        }
        c.http().json(201, new Tagged(build(version.digest()), asked.tags()));
    }

    private void untag(Asked c) throws IOException {
        var asked = Requests.body(c.http(), Untagging.class);
        var name = Names.reference(c.caller(), asked.name());
        for (var tag : asked.tags()) {
            templates.untag(c.caller(), name, Names.tag(tag));
        }
        c.http().nothing();
    }

    /// Snapshots are templates to these clients, by id or by name.
    private void delete(Asked c) throws IOException {
        var wanted = Names.reference(c.caller(), c.parameter("template"));
        if (SnapshotId.looksLike(wanted) || isSnapshot(c, wanted)) {
            sandboxes.deleteSnapshot(c.caller(), wanted);
        } else {
            templates.delete(c.caller(), wanted);
        }
        c.http().nothing();
    }

    private boolean isSnapshot(Asked c, String name) {
        try {
            sandboxes.getSnapshot(c.caller(), name);
            return true;
        } catch (RedomaException none) {
            if (none.code() == Code.SNAPSHOT_NOT_FOUND) {
                return false;
            }
            throw none;
        }
    }
}
