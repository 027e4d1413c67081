// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.Change;
import dev.redoma.model.wire.ChangeSet;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.ExposePort;
import dev.redoma.model.wire.Exposure;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.PolicyExplanation;
import dev.redoma.model.wire.PolicyProposal;
import dev.redoma.model.wire.PolicyText;
import dev.redoma.model.wire.Redact;
import dev.redoma.model.wire.Redacted;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.Snapshot;
import dev.redoma.model.wire.Usage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A sandbox. One that this client created is ended by `close`, unless `keep` was called. Thread-safe.
public final class SandboxHandle implements AutoCloseable {
    private final Api api;
    private final String id;
    private volatile boolean endOnClose;

    SandboxHandle(Api api, String idOrName, boolean endOnClose) {
        this.api = api;
        this.id = idOrName;
        this.endOnClose = endOnClose;
    }

    public String id() {
        return id;
    }

    /// `close` will leave it alive.
    public SandboxHandle keep() {
        endOnClose = false;
        return this;
    }

    public Sandbox state() {
        return api.get(at(""), Sandbox.class);
    }

    public Execs execs() {
        return new Execs(api, id);
    }

    public SandboxFiles files() {
        return new SandboxFiles(api, "/v1/sandboxes/", id);
    }

    public Sandbox pause() {
        return verb("/pause");
    }

    public Sandbox resume() {
        return verb("/resume");
    }

    public Sandbox stop() {
        return verb("/stop");
    }

    public Sandbox start() {
        return verb("/start");
    }

    public Sandbox reset() {
        return verb("/reset");
    }

    public Sandbox quarantine() {
        return quarantine(null);
    }

    /// `why`: for the record.
    public Sandbox quarantine(@Nullable String why) {
        return api.post(at("/quarantine").with("why", why), null, Sandbox.class);
    }

    /// Ends it; a second time answers the same.
    public Sandbox kill() {
        return api.delete(at(""), Sandbox.class);
    }

    /// It will end that long from now.
    public Sandbox lifetime(Duration fromNow) {
        return api.post(at("/lifetime"), Map.of("lifetimeMs", fromNow.toMillis()), Sandbox.class);
    }

    /// Masks more values, by names of your choice, in all that comes from now on; the names of all that are masked. What was kept before stays as it is.
    public Redacted redact(Map<String, String> values) {
        return api.post(at("/redact"), new Redact(values, null), Redacted.class);
    }

    /// The policy in force.
    public PolicyExplanation policy() {
        return api.get(at("/policy"), PolicyExplanation.class);
    }

    /// Another policy, a name or a text; in force when this returns.
    public PolicyExplanation policy(String policy) {
        return api.put(at("/policy"), new PolicyText(policy), PolicyExplanation.class);
    }

    /// The least policy that would have allowed what it was refused; nothing is changed by it.
    public PolicyProposal learnPolicy() {
        return api.get(at("/policy/learn"), PolicyProposal.class);
    }

    /// Lets a port be reached from outside; the answer has the addresses, and the token, which is told this once.
    public Exposure expose(ExposePort what) {
        return api.post(at("/exposures"), what, Exposure.class);
    }

    /// What is exposed, and what was until its time was over.
    public List<Exposure> exposures() {
        Page<Exposure> page = api.getList(at("/exposures"), Page.class, Exposure.class);
        return page.items();
    }

    /// Ends one; when this returns, the connections that came by it are closed.
    public void revoke(String exposure) {
        api.send("DELETE", Target.of("/v1/sandboxes/", id, "/exposures/", exposure), null);
    }

    /// Ends all of a port, or of the sandbox (null); returns how many there were.
    public int revokePort(@Nullable Integer port) {
        return api.delete(at("/exposures").with("port", port), Revoked.class).revoked();
    }

    private record Revoked(int revoked) {}

    /// The variables that create gave to all its commands.
    public Map<String, String> env() {
        return api.get(at("/env"), Variables.class).env();
    }

    private record Variables(Map<String, String> env) {}

    public Usage usage() {
        return api.get(at("/usage"), Usage.class);
    }

    /// What differs from its template.
    public List<Change> changes() {
        return review().changes(ChangeSet.TEMPLATE).items();
    }

    /// What it changed, also after it ended.
    public Review review() {
        return new Review(api, id);
    }

    /// Who may join what runs in it, and who has.
    public Attaching attaching() {
        return new Attaching(api, id);
    }

    /// The engine's own messages; operators only.
    public List<String> systemLog() {
        return api.get(at("/system-log"), Lines.class).lines();
    }

    private record Lines(List<String> lines) {}

    public Snapshot snapshot(@Nullable String name) {
        return save(new CreateSnapshot(name, null));
    }

    /// Saves its disk; what was changed in it is looked at before, unless all classes of contents are kept.
    public Snapshot save(CreateSnapshot how) {
        return api.send(api.request("POST", at("/snapshots"), how).patience(api.patience().work()), Snapshot.class);
    }

    /// A new sandbox from the disk as it is now; the answer is to be closed like a created one.
    public SandboxHandle fork(ForkSandbox how) {
        var request = api.request("POST", at("/fork"), how).header("Idempotency-Key", UUID.randomUUID().toString()).again();
        return new SandboxHandle(api, api.send(request, Sandbox.class).id(), true);
    }

    public SandboxHandle fork() {
        return fork(new ForkSandbox(null, null, null));
    }

    private Sandbox verb(String verb) {
        return api.post(at(verb), null, Sandbox.class);
    }

    private Target at(String rest) {
        return Target.of("/v1/sandboxes/", id, rest);
    }

    /// Ends the sandbox if this handle made it. Already ended is fine.
    @Override
    public void close() {
        if (endOnClose) {
            kill();
        }
    }
}
