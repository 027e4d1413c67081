// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Approvals;
import dev.redoma.engine.Engine;
import dev.redoma.engine.Tier;
import dev.redoma.engine.image.ImageSources;
import dev.redoma.gateway.CheckedDialler;
import dev.redoma.gateway.CheckedOutgoing;
import dev.redoma.gateway.egress.EgressGateway;
import dev.redoma.gateway.ingress.Ingress;
import dev.redoma.http.HttpServer;
import dev.redoma.ledger.ChainLedger;
import dev.redoma.model.Caller;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.Finding;
import dev.redoma.model.wire.ServerInfo;
import dev.redoma.pool.BtrfsPool;
import dev.redoma.server.api.NativeApi;
import dev.redoma.server.api.ServerRoutes;
import dev.redoma.server.config.Config;
import dev.redoma.server.keys.Keys;
import dev.redoma.store.SqliteStore;
import dev.redoma.store.Store;
import dev.redoma.tiers.oci.OciConfig;
import dev.redoma.tiers.oci.OciTier;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The whole server, put together by constructors from the ground up and taken down in reverse. Closing it leaves sandboxes running.
public final class House implements AutoCloseable {
    private final Opened opened = new Opened();
    private final BtrfsPool pool;
    private final OciTier tier;
    private final Serving serving;
    private final Engine engine;
    private final String installation;

    private House(Options options, Config config, @Nullable CheckedDialler out) {
        var watch = new StartWatch();
        var dialler = out != null ? out : dialler(config);
        try {
            opened.add(DataLock.take(config.dataDir()));
            var listening = opened.add(Ahead.open("http", () -> HttpServer.start(config.http(), NativeApi.starting())));
            var mounting = opened.add(Ahead.open("pool", () -> BtrfsPool.open(config.dataDir(), config.pool())));
            var store = opened.add(SqliteStore.open(config.dataDir().resolve("redoma.db")));
            installation = Installation.id(store);
            HostMark.write(installation, config.dataDir(), config.runDir());
            watch.done("store");
            var trying = opened.add(Ahead.open("tier", () -> OciTier.open(
                    new OciConfig(installation, config.runDir(), options.guestBinary("redoma-guest"), options.guestBinary("redoma-launcher")))));
            var ledger = ChainLedger.open(store, config.dataDir());
            var keys = new Keys(store, ledger, Clock.systemUTC());
            ledger.persons(keys::person);
            watch.done("ledger");
            var http = listening.get();
            var router = opened.add(Ahead.open("router", () -> HttpServer.start(config.router(), E2b.starting())));
            watch.done("http");
            pool = mounting.get();
            watch.done("pool");
            tier = trying.get();
            watch.done("tier");
            List<Tier> tiers = List.of(tier);
            var egress = opened.add(new EgressGateway(store, ledger, dialler, dialler::own, EgressTls.of(config.dataDir(), config.upstream().authorities())));
            var hook = opened.add(ApprovalWebhook.of(config.approvals(), dialler));
            var forwarding = opened.add(Forwarding.start(config.forward(), ledger, dialler, config.dataDir(), installation));
            engine = opened.add(Engine.open(config.engine(), store, ledger, pool, tiers, images(config), egress, new Approvals.Settings(keys, config.approvals().hold(), config.approvals().egressHold(), hook), Clock.systemUTC()));
            watch.done("engine");
            var tokens = E2b.tokens(config.dataDir());
            var ingress = opened.add(new Ingress(opened.add(E2b.doors(config, engine, tokens, keys)), engine.ports(), engine.exposures(), store, ledger));
            router.get().route(ingress);
            var secured = config.secured() == null ? null : opened.add(HttpServer.start(config.secured().listen(), config.secured().tls(), E2b.starting()));
            serving = opened.add(Serving.start(config, http, new Serving.Outside(router.get().address().getPort(), ingress, secured), tokens, keys, store, ledger, engine, about(store, config, installation, tiers, pool, forwarding), options.profile()));
            watch.done("api");
            watch.tell(serving.url());
        } catch (Throwable failed) {
            opened.close();
            throw failed;
        }
    }

    public static House open(Options options, Map<String, String> environment) {
        return open(options, environment, null);
    }

    /// `dialler`: how sandboxes get out, where it is not as configured.
    static House open(Options options, Map<String, String> environment, @Nullable CheckedDialler dialler) {
        return new House(options, Config.load(options.dataDir(), options.runDir(), options.config(), environment, options.listen()), dialler);
    }

    private static CheckedDialler dialler(Config config) {
        var upstream = config.upstream();
        return CheckedDialler.of(upstream.resolvers(), a -> upstream.own().stream().anyMatch(b -> b.contains(a)), upstream.space(), upstream.proxy());
    }

    private static ImageSources images(Config config) {
        var dialler = dialler(config);
        return new ImageSources(config.registries(), () -> new CheckedOutgoing(dialler, config.registries()));
    }

    String url() {
        return serving.url();
    }

    /// Where TLS is served; null where it is not.
    @Nullable String secure() {
        return serving.secure();
    }

    String router() {
        return serving.router();
    }

    /// Ends every sandbox of the installation; how many there were.
    int endAll() {
        return engine.sandboxes().killAll(new Caller("host", TenantId.DEFAULT, Set.of(Scope.OPERATE)), null);
    }

    private static ServerRoutes.About about(Store store, Config config, String installation, List<Tier> tiers, BtrfsPool pool, Forwarding forwarding) {
        var limits = new LinkedHashMap<String, Object>();
        limits.put("default", config.engine().bounds().defaults());
        limits.put("least", config.engine().bounds().least());
        limits.put("most", config.engine().bounds().most());
        limits.put("uploadBytes", config.largestUpload());
        return new ServerRoutes.About(
                () -> new ServerInfo(Version.TEXT, installation, tiers.getFirst().name(), findings(config, tiers, pool), limits),
                () -> Stream.concat(findings(config, tiers, pool).stream(), Abandoned.findings().stream()).toList(), new Metrics(store, forwarding::failing)::text);
    }

    private static List<Finding> findings(Config config, List<Tier> tiers, BtrfsPool pool) {
        return Stream.of(tiers.stream().flatMap(t -> t.probe().findings().stream()), pool.findings().stream(), config.upstream().findings().stream(), config.forward().findings().stream()).flatMap(s -> s).toList();
    }

    @Override
    public void close() {
        opened.close();
    }

    /// Closes, and takes away what stays on the host between two servers: the pool's mount, the tier's namespace and cgroups. No sandbox
    /// may be left.
    void uninstall() {
        close();
        tier.uninstall();
        pool.release();
        HostMark.remove(installation);
    }
}
