// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.Finding;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.ServerInfo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A Redoma server, called by blocking methods that suit virtual threads. Failures are ClientException. Thread-safe; share one.
public final class RedomaClient implements AutoCloseable {
    private final Api api;

    private RedomaClient(Api api) {
        this.api = api;
    }

    /// Connects lazily: an unreachable server shows at the first call.
    public static RedomaClient connect(URI server, String key) {
        return connect(server, key, Patience.DEFAULT);
    }

    public static RedomaClient connect(URI server, String key, Patience patience) {
        boolean web = "http".equals(server.getScheme()) || "https".equals(server.getScheme());
        if (!web || server.getHost() == null) {
            throw new IllegalArgumentException("'" + server + "' is not an address of the form http://host:port");
        }
        return new RedomaClient(new Api(server, key, patience));
    }

    /// By `REDOMA_URL` and `REDOMA_KEY`, else the profile that `redoma up` wrote.
    public static RedomaClient fromProfile() {
        try {
            var profile = Profile.load().orElseThrow(() -> new IllegalStateException(
                    "No server is known: neither REDOMA_URL and REDOMA_KEY nor " + Profile.place() + " name one. Start one with 'redoma up --detach'."));
            return connect(URI.create(profile.url()), profile.key());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public URI server() {
        return api.server();
    }

    public ServerInfo info() {
        return api.get(Target.of("/v1"), ServerInfo.class);
    }

    /// Creates a sandbox, or gives the one of that name where asked so. Safe against a lost answer: a repetition gives the same sandbox.
    public SandboxHandle create(NewSandbox what) {
        var answer = create(what, UUID.randomUUID().toString());
        return new SandboxHandle(api, answer.id(), !Boolean.TRUE.equals(answer.reused()));
    }

    /// As above with an idempotency key of one's own; the bare record, which nobody closes.
    public Sandbox create(NewSandbox what, String idempotencyKey) {
        var request = api.request("POST", Target.of("/v1/sandboxes"), what.wire()).header("Idempotency-Key", idempotencyKey).again().patience(api.patience().work());
        return api.send(request, Sandbox.class);
    }

    /// A handle without asking the server; `close` does not end that sandbox.
    public SandboxHandle sandbox(String idOrName) {
        return new SandboxHandle(api, idOrName, false);
    }

    /// All that match, fetched page by page as they are asked for.
    public Iterable<Sandbox> list(SandboxFilter filter) {
        return () -> new Execs.PageIterator<>(cursor -> page(filter, cursor, 200));
    }

    public Page<Sandbox> page(SandboxFilter filter, @Nullable String cursor, int limit) {
        var target = filter.apply(Target.of("/v1/sandboxes")).with("cursor", cursor).with("limit", limit);
        return api.getList(target, Page.class, Sandbox.class);
    }

    /// Ends every sandbox of a tenant, or of the installation (null); operators only. Returns how many.
    public long killAll(@Nullable String tenant) {
        return killAll(tenant, null);
    }

    /// `why`: for the record.
    public long killAll(@Nullable String tenant, @Nullable String why) {
        var target = Target.of("/v1/sandboxes").with("tenant", tenant).with("all", tenant == null ? true : null).with("why", why);
        return api.delete(target, Ended.class).ended();
    }

    private record Ended(long ended) {}

    public Templates templates() {
        return new Templates(api);
    }

    public Volumes volumes() {
        return new Volumes(api);
    }

    public Builds builds() {
        return new Builds(api);
    }

    public Policies policies() {
        return new Policies(api);
    }

    public Caches caches() {
        return new Caches(api);
    }

    public Snapshots snapshots() {
        return new Snapshots(api);
    }

    public Audit audit() {
        return new Audit(api);
    }

    public Keys keys() {
        return new Keys(api);
    }

    public Approvals approvals() {
        return new Approvals(api);
    }

    public Users users() {
        return new Users(api);
    }

    /// What was tried on the server's host, and the fix for what is missing; operators only.
    public List<Finding> doctor() {
        return api.get(Target.of("/v1/doctor"), Findings.class).findings();
    }

    private record Findings(List<Finding> findings) {}

    @Override
    public void close() {
        api.close();
    }
}
