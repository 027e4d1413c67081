// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Engine;
import dev.redoma.engine.Tier;
import dev.redoma.http.HttpServer;
import dev.redoma.ledger.ChainLedger;
import dev.redoma.model.wire.Finding;
import dev.redoma.model.wire.ServerInfo;
import dev.redoma.pool.Pool;
import dev.redoma.server.api.NativeApi;
import dev.redoma.server.api.ServerRoutes;
import dev.redoma.server.config.Config;
import dev.redoma.store.SqliteStore;
import dev.redoma.store.Store;
import dev.redoma.tiers.oci.OciConfig;
import dev.redoma.tiers.oci.OciTier;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The whole server, put together by constructors from the ground up and taken down in reverse. Closing it leaves sandboxes running.
public final class House implements AutoCloseable {
    private final Opened opened = new Opened();
    private final Serving serving;

    /// How the pool is opened.
    @FunctionalInterface
    interface PoolOpener {
        Pool open(Config config, String installation);
    }

    private House(Options options, Config config, PoolOpener pools) {
        try {
            opened.add(DataLock.take(config.dataDir()));
            var http = opened.add(HttpServer.start(config.http(), NativeApi.starting()));
            var store = opened.add(SqliteStore.open(config.dataDir().resolve("redoma.db")));
            var ledger = ChainLedger.open(store, config.dataDir());
            var installation = Installation.id(store);
            var pool = opened.add(pools.open(config, installation));
            var tier = opened.add(OciTier.open(new OciConfig(installation, config.runDir(), options.guestBinary("redoma-guest"), options.guestBinary("redoma-launcher"))));
            List<Tier> tiers = List.of(tier);
            var engine = opened.add(Engine.open(config.engine(), store, ledger, pool, tiers, Clock.systemUTC()));
            serving = opened.add(Serving.start(config, http, store, ledger, engine, about(store, config, installation, tiers), options.profile()));
        } catch (Throwable failed) {
            opened.close();
            throw failed;
        }
    }

    static House open(Options options, Map<String, String> environment, PoolOpener pools) {
        var config = Config.load(options.dataDir(), options.runDir(), options.config(), environment, options.listen());
        return new House(options, config, pools);
    }

    public static House open(Options options, Map<String, String> environment) {
        return open(options, environment, House::pool);
    }

    private static Pool pool(Config config, String installation) {
        throw dev.redoma.model.Problem.of(dev.redoma.model.Code.NOT_OFFERED, "No pool for " + installation + " under " + config.dataDir() + ".", "Wait.").raise();
    }

    String url() {
        return serving.url();
    }

    private static ServerRoutes.About about(Store store, Config config, String installation, List<Tier> tiers) {
        var limits = new LinkedHashMap<String, Object>();
        limits.put("default", config.engine().bounds().defaults());
        limits.put("least", config.engine().bounds().least());
        limits.put("most", config.engine().bounds().most());
        limits.put("uploadBytes", config.largestUpload());
        return new ServerRoutes.About(
                () -> new ServerInfo(Version.TEXT, installation, tiers.getFirst().name(), findings(tiers), limits), () -> findings(tiers), new Metrics(store)::text);
    }

    private static List<Finding> findings(List<Tier> tiers) {
        return tiers.stream().flatMap(t -> t.probe().findings().stream()).toList();
    }

    @Override
    public void close() {
        opened.close();
    }
}
