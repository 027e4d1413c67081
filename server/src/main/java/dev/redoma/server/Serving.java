// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Redoma;
import dev.redoma.http.Endpoint;
import dev.redoma.http.HttpServer;
import dev.redoma.http.Json;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.protocols.e2b.SandboxTokens;
import dev.redoma.server.api.Api;
import dev.redoma.server.api.Denials;
import dev.redoma.server.api.NativeApi;
import dev.redoma.server.api.Operation;
import dev.redoma.server.api.PreviewAddresses;
import dev.redoma.server.api.ServerRoutes;
import dev.redoma.server.config.Config;
import dev.redoma.server.keys.Keys;
import dev.redoma.server.keys.Rates;
import dev.redoma.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The part of the server that faces clients: API over HTTP, keys, profile. Closing it ends streams with a reason; sandboxes live on.
final class Serving implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Serving.class);

    private final Config config;
    private final HttpServer http;
    private final Outside outside;
    private final Api api;
    private final Denials denials;
    private final Checkpoints checkpoints;

    private Serving(Config config, HttpServer http, Outside outside, Api api, Denials denials, Checkpoints checkpoints) {
        this.config = config;
        this.http = http;
        this.outside = outside;
        this.api = api;
        this.denials = denials;
        this.checkpoints = checkpoints;
    }

    /// `http` listens already; when this returns, it serves the API, and the profile is written (`<data>/operator.json` where none was named).
    static Serving start(Config config, HttpServer http, Outside outside, SandboxTokens tokens, Keys keys, Store store, Ledger ledger, Redoma redoma, ServerRoutes.About about, @Nullable Path profile) {
        var rates = new Rates(config.ratePerSecond(), config.rateBurst(), System::nanoTime);
        var api = NativeApi.of(redoma, ledger, keys, rates, about, config.largestUpload(), new PreviewAddresses(outside.domain(config), config.router().host(), outside.router()));
        var denials = new Denials(store, ledger, keys);
        var routes = api.router(E2b.routes(config, outside.domain(config), redoma, api, new E2bOffice(keys, ledger), tokens), denials);
        http.route(routes);
        if (outside.secured() != null && config.secured() != null) {
            outside.secured().route("api." + config.secured().domain(), routes, outside.ingress());
        }
        var serving = new Serving(config, http, outside, api, denials, new Checkpoints(ledger, config.checkpoint(), config.auditKeep()));
        OperatorProfile.write(profile == null ? config.dataDir().resolve("operator.json") : profile, serving.url(), keys, ledger.publicKey());
        serving.announce();
        return serving;
    }

    String url() {
        var address = http.address();
        return url(address.getHostString(), address.getPort());
    }

    /// The other ways in: the router's port and what it does, and TLS, which leads to both.
    record Outside(int router, Endpoint ingress, @Nullable HttpServer secured) {

        /// As clients are told it: with its port where that is not the usual one.
        @Nullable String domain(Config config) {
            if (secured == null || config.secured() == null) {
                return null;
            }
            int port = secured.address().getPort();
            return config.secured().domain() + (port == 443 ? "" : ":" + port);
        }
    }

    /// Where TLS is served; null where it is not.
    @Nullable String secure() {
        var domain = outside.domain(config);
        return domain == null ? null : "https://api." + domain;
    }

    /// Where sandboxes are reached.
    String router() {
        return url(config.router().host(), outside.router());
    }

    private static String url(String host, int port) {
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    List<Operation> operations() {
        return api.operations();
    }

    /// Content of `<data>/server.json`, there while the server serves.
    public record Running(long pid, String url, String router) {}

    private Path runningFile() {
        return config.dataDir().resolve("server.json");
    }

    private void announce() {
        try {
            PrivateFile.write(runningFile(), Json.bytes(new Running(ProcessHandle.current().pid(), url(), router())));
        } catch (IOException failed) {
            throw Problem.of(Code.HOST_FAILED, "The data directory cannot be written: " + failed.getMessage(), "Free space or choose another with --data.").raise(failed);
        }
    }

    @Override
    public void close() {
        try {
            api.stop();
            http.close();
            denials.close();
            checkpoints.close();
            Files.deleteIfExists(runningFile());
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } catch (IOException failed) {
            LOG.warn("{} stays: {}", runningFile(), failed.toString());
        }
    }
}
