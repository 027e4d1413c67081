// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.wire.Redact;
import dev.redoma.model.wire.StopReason;
import dev.redoma.model.wire.Workspace;
import dev.redoma.policy.Audience;
import dev.redoma.policy.PolicyStack;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Writes what happens to sandboxes, snapshots and templates into the ledger, in the transaction of the state change itself.
final class Records {
    /// Who acted when no caller did: a timer, recovery, the host.
    static final String ENGINE = "engine";

    private final Ledger ledger;

    Records(Ledger ledger) {
        this.ledger = ledger;
    }

    void sandbox(Handle tx, SandboxRow row, String actor, String action) {
        sandbox(tx, row, actor, action, Map.of());
    }

    /// Every record says which template version the sandbox stands on.
    void sandbox(Handle tx, SandboxRow row, String actor, String action, Map<String, Object> more) {
        var facts = new LinkedHashMap<String, Object>(more);
        facts.put("digest", row.template().digest());
        ledger.append(tx, new Entry(row.tenant().value(), actor, row.id().value(), null, "sandbox", action, facts, Map.of(), List.of()));
    }

    /// The first record of a sandbox: everything it was given.
    void created(Handle tx, SandboxRow row, String actor, @Nullable Redact redact) {
        var open = new LinkedHashMap<String, Object>();
        open.put("template", row.template().name());
        open.put("digest", row.template().digest());
        open.put("tier", row.isolation().tier());
        open.put("kernel", row.isolation().kernel());
        open.put("runtime", row.isolation().runtime() + " " + row.isolation().runtimeVersion());
        open.put("privileges", row.privileges());
        open.put("policy", row.policy());
        open.put("reopen", row.reopen());
        open.put("onTimeout", row.onTimeout());
        open.put("warm", row.warm());
        open.put("limits", LimitRules.facts(row.limits()));
        if (!row.mounts().isEmpty()) {
            open.put("volumes", row.mounts().stream().map(m -> m.volume() + (m.readOnly() ? " read-only" : "")).toList());
        }
        if (row.forkedFrom() != null) {
            open.put("forkedFrom", row.forkedFrom());
        }
        var sealed = new LinkedHashMap<String, Object>();
        if (row.name() != null) {
            sealed.put("name", row.name());
        }
        if (redact != null) {
            sealed.put("redactNames", List.copyOf(redact.values().keySet()));
            open.put("redactTokens", redact.tokens() == null ? "standard" : redact.tokens() ? "on" : "off");
        }
        sealed.put("labels", row.labels());
        sealed.put("envNames", row.env().keySet().stream().sorted().toList());
        if (!row.mounts().isEmpty()) {
            sealed.put("mounts", row.mounts().stream().map(m -> m.name() + ":" + m.path()).toList());
        }
        ledger.append(tx, new Entry(row.tenant().value(), actor, row.id().value(), null, "sandbox", "create", open, sealed, List.of()));
    }

    /// The commit is what git in the sandbox said.
    void workspace(Handle tx, SandboxRow row, Workspace made) {
        ledger.append(tx, new Entry(row.tenant().value(), ENGINE, row.id().value(), null, "sandbox", "workspace", Map.of("commit", String.valueOf(made.commit()), "digest", row.template().digest()),
                Map.of("from", made.from(), "path", made.path()), List.of("commit")));
    }

    /// Its policy's set-up has ended well.
    void setUp(Handle tx, SandboxRow row, List<String> commands, long millis, String actor) {
        ledger.append(tx, new Entry(row.tenant().value(), actor, row.id().value(), null, "sandbox", "set-up", Map.of("commands", commands.size(), "millis", millis), Map.of("run", commands), List.of()));
    }

    /// The text in force, all of it, and its digest.
    void policy(Handle tx, SandboxRow row, PolicyStack stack, long epoch, String actor, String action) {
        var open = Map.<String, Object>of("name", stack.name(), "policyDigest", stack.digest(), "epoch", epoch);
        var texts = stack.documents().stream().map(d -> Map.of("layer", d.layer(), "source", d.source(), "text", d.text())).toList();
        ledger.append(tx, new Entry(row.tenant().value(), actor, row.id().value(), null, "policy", action, open, Map.of("documents", texts), List.of()));
    }

    void exposure(Handle tx, ExposureRow e, String actor, String action, Map<String, Object> more) {
        var open = new LinkedHashMap<String, Object>(more);
        open.put("exposure", e.id().value());
        open.put("port", e.port());
        open.put("audience", e.audience().wire());
        open.put("expiresAt", e.expiresAt().toString());
        ledger.append(tx, new Entry(e.tenant().value(), actor, e.sandbox().value(), null, "preview", action, open, Map.of(), List.of()));
    }

    void exposeRefused(Handle tx, SandboxRow row, String actor, int port, Audience audience, Code why) {
        ledger.append(tx, new Entry(row.tenant().value(), actor, row.id().value(), null, "preview", "expose.refused",
                Map.of("port", port, "audience", audience.wire(), "code", why.wire()), Map.of(), List.of()));
    }

    void stopped(Handle tx, SandboxRow row, String actor, String action, StopReason reason) {
        var facts = new LinkedHashMap<String, Object>();
        facts.put("reason", reason.kind());
        if (reason.limit() != null) {
            facts.put("limit", reason.limit());
        }
        if (reason.message() != null) {
            facts.put("message", reason.message());
        }
        sandbox(tx, row, actor, action, facts);
    }

    /// With the words of whoever did it, sealed.
    void quarantine(Handle tx, SandboxRow row, String actor, StopReason reason, @Nullable String why) {
        var facts = Map.<String, Object>of("digest", row.template().digest(), "reason", reason.kind(), "state", row.state().wire());
        ledger.append(tx, new Entry(row.tenant().value(), actor, row.id().value(), null, "sandbox", "quarantine", facts, why == null ? Map.of() : Map.of("why", why), List.of()));
    }

    void brake(Handle tx, dev.redoma.model.TenantId tenant, String actor, long sandboxes, boolean everybody, @Nullable String why) {
        ledger.append(tx, new Entry(tenant.value(), actor, null, null, "admin", "kill-all", Map.of("sandboxes", sandboxes, "everyTenant", everybody), why == null ? Map.of() : Map.of("why", why), List.of()));
    }

    void snapshot(Handle tx, SnapshotRow row, String actor, String action, Map<String, Object> more) {
        var facts = new LinkedHashMap<String, Object>(more);
        facts.put("snapshot", row.id().value());
        facts.put("digest", row.digest());
        facts.put("templateDigest", row.template().digest());
        facts.put("hidden", row.hidden());
        ledger.append(tx, new Entry(row.tenant().value(), actor, row.sandbox(), null, "sandbox", action, facts,
                row.name() == null ? Map.of() : Map.of("name", row.name()), List.of()));
    }

    void volume(Handle tx, VolumeRow row, String actor, String action) {
        volume(tx, row, actor, action, Map.of("sizeBytes", row.sizeBytes()));
    }

    void volume(Handle tx, VolumeRow row, String actor, String action, Map<String, Object> more) {
        var open = new LinkedHashMap<String, Object>(more);
        open.put("volume", row.id().value());
        open.put("kind", row.kind().wire());
        open.put("shared", row.shared());
        var sealed = Map.<String, Object>of("name", row.name(), "labels", row.labels());
        ledger.append(tx, new Entry(row.tenant().value(), actor, row.sandbox(), null, "volume", action, open, sealed, List.of()));
    }

    void build(Handle tx, BuildRow row, String actor, String action, Map<String, Object> more) {
        var facts = new LinkedHashMap<String, Object>(Map.of("build", row.id().value(), "template", row.template(), "source", row.source()));
        if (row.tag() != null) {
            facts.put("tag", row.tag());
        }
        facts.putAll(more);
        ledger.append(tx, new Entry(row.tenant().value(), actor, null, null, "admin", action, facts, Map.of(), List.of()));
    }

    void volumeFile(Handle tx, VolumeRow row, String actor, String action, Map<String, Object> more, Map<String, Object> sealed) {
        var open = new LinkedHashMap<String, Object>(more);
        open.put("volume", row.id().value());
        ledger.append(tx, new Entry(row.tenant().value(), actor, null, null, "file", action, open, sealed, List.of()));
    }

    void template(Handle tx, Caller caller, String action, Map<String, Object> facts) {
        ledger.append(tx, new Entry(caller.tenant().value(), caller.key(), null, null, "admin", action, facts, Map.of(), List.of()));
    }
}
