// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.config;

import dev.redoma.engine.EngineConfig;
import dev.redoma.engine.image.Registries;
import dev.redoma.http.HttpServer;
import dev.redoma.http.Tls;
import dev.redoma.kernel.OwnLimits;
import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Limits;
import dev.redoma.pool.Backing;
import dev.redoma.pool.contents.ContentClass;
import dev.redoma.pool.contents.Order;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// All that the server is told: file, and environment over it.
public record Config(
        Path dataDir,
        Path runDir,
        HttpServer.Settings http,
        HttpServer.Settings router,
        boolean publicPorts,
        @Nullable Secured secured,
        EngineConfig engine,
        double ratePerSecond,
        double rateBurst,
        long largestUpload,
        Backing pool,
        Duration checkpoint,
        Map<String, Duration> auditKeep,
        Registries registries,
        Upstream upstream,
        ApprovalConfig approvals,
        ForwardConfig forward) {
    private static final int MOST_CONNECTIONS = 4096;
    /// Apps' cookies may be long.
    private static final int ROUTER_HEADERS = 64 << 10;


    /// `listen` (from the command line) wins over everything.
    public static Config load(Path dataDir, Path runDir, @Nullable Path file, Map<String, String> environment, @Nullable String listen) {
        var content = file == null ? ConfigFile.Content.NONE : ConfigFile.read(file.toString(), text(file));
        var values = new ConfigValues(content.given(), environment);
        var api = http(values, listen);
        var router = router(values, api);
        return new Config(dataDir, runDir, api, router, publicPorts(values, router), secured(values, dataDir, router), engine(values, dataDir, runDir),
                values.positive(ConfigKey.RATE_PER_SECOND), values.positive(ConfigKey.RATE_BURST), values.size(ConfigKey.UPLOAD_LARGEST),
                backing(values), values.duration(ConfigKey.AUDIT_CHECKPOINT), auditKeep(values), new Registries(registry(values), content.registries()), Upstream.of(values), ApprovalConfig.of(values), ForwardConfig.of(values));
    }

    /// By category; what is kept for ever is not in it.
    private static Map<String, Duration> auditKeep(ConfigValues values) {
        var keep = new java.util.TreeMap<String, Duration>();
        for (ConfigKey key : ConfigKey.values()) {
            if (key.path().startsWith("audit.keep.") && !values.duration(key).isZero()) {
                keep.put(key.path().substring("audit.keep.".length()), values.duration(key));
            }
        }
        return keep;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw Problem.of(Code.INVALID_FIELD, "The configuration " + file + " cannot be read: " + unreadable.getMessage(), "Name a readable file with --config.")
                    .raise(unreadable);
        }
    }

    /// Only where every address that leads to sandboxes is on loopback.
    private static boolean publicPorts(ConfigValues values, HttpServer.Settings router) {
        boolean secured = values.optional(ConfigKey.TLS_DOMAIN) == null || values.address(ConfigKey.TLS_LISTEN).loopback();
        return values.flag(ConfigKey.ROUTER_PUBLIC) && secured && new Address(router.host(), router.port()).loopback();
    }

    /// TLS: where, for which domain, and with what.
    public record Secured(HttpServer.Settings listen, String domain, Tls tls) {}

    private static @Nullable Secured secured(ConfigValues values, Path dataDir, HttpServer.Settings router) {
        var domain = values.optional(ConfigKey.TLS_DOMAIN);
        if (domain == null) {
            return null;
        }
        var address = values.address(ConfigKey.TLS_LISTEN);
        local("tls.listen", address, values);
        var chain = values.optional(ConfigKey.TLS_CERTIFICATE);
        var key = values.optional(ConfigKey.TLS_KEY);
        return new Secured(new HttpServer.Settings(address.host(), address.port(), router.idle(), router.headerBytes(), router.grace(), router.connections()), domain,
                new Tls(chain == null ? dataDir.resolve("tls/server.pem") : Path.of(chain), key == null ? dataDir.resolve("tls/server.key") : Path.of(key)));
    }

    private static HttpServer.Settings router(ConfigValues values, HttpServer.Settings api) {
        var address = values.given(ConfigKey.ROUTER_LISTEN) ? values.address(ConfigKey.ROUTER_LISTEN)
                : new Address(api.host(), api.port() == 0 || api.port() == 65_535 ? 0 : api.port() + 1);
        local("router.listen", address, values);
        return new HttpServer.Settings(address.host(), address.port(), api.idle(), ROUTER_HEADERS, api.grace(), api.connections());
    }

    private static void local(String field, Address address, ConfigValues values) {
        if (!address.loopback() && !values.flag(ConfigKey.ALLOW_REMOTE)) {
            throw Problem.of(Code.INVALID_FIELD, field + ": " + address.host() + " can be reached from other machines.",
                            "Listen on 127.0.0.1, or set 'allow-remote: true' and put TLS before it.")
                    .with("field", field).raise();
        }
    }

    private static HttpServer.Settings http(ConfigValues values, @Nullable String listen) {
        var address = listen == null ? values.address(ConfigKey.LISTEN) : Address.parse("--listen", listen);
        local("listen", address, values);
        return new HttpServer.Settings(address.host(), address.port(), values.duration(ConfigKey.HTTP_IDLE),
                (int) values.size(ConfigKey.HTTP_HEADERS), values.duration(ConfigKey.STOP_GRACE),
                (int) Math.min(MOST_CONNECTIONS, OwnLimits.openFiles() / 4));
    }

    private static @Nullable String registry(ConfigValues values) {
        var host = values.optional(ConfigKey.DEFAULT_REGISTRY);
        if (host != null && !RegistryEntries.isHost(host)) {
            throw Problem.field(ConfigKey.DEFAULT_REGISTRY.path(), "'" + host + "' is no host", "HOST or HOST:PORT in lower case");
        }
        return host;
    }

    private static Backing backing(ConfigValues values) {
        var device = values.optional(ConfigKey.POOL_DEVICE);
        var directory = values.optional(ConfigKey.POOL_DIRECTORY);
        if (device != null && directory != null) {
            throw Problem.field("pool.device", "is there with pool.directory", "one of them");
        }
        if (device != null) {
            return new Backing.Device(Path.of(device));
        }
        if (directory != null) {
            return new Backing.Directory(Path.of(directory));
        }
        return values.given(ConfigKey.POOL_SIZE) ? Backing.sparse(new Bytes(values.size(ConfigKey.POOL_SIZE))) : Backing.sparse();
    }

    private static EngineConfig engine(ConfigValues v, Path dataDir, Path runDir) {
        var shipped = EngineConfig.standard(dataDir, runDir);
        return new EngineConfig(dataDir, runDir, v.text(ConfigKey.DEFAULT_TEMPLATE), v.flag(ConfigKey.SHARED_KERNEL),
                new EngineConfig.Quota(v.number(ConfigKey.QUOTA_LIVE), v.number(ConfigKey.QUOTA_STORED), v.number(ConfigKey.QUOTA_SNAPSHOTS),
                        v.size(ConfigKey.QUOTA_OUTPUT), v.number(ConfigKey.QUOTA_VOLUMES), v.size(ConfigKey.QUOTA_VOLUME_BYTES)),
                bounds(v, shipped.bounds()),
                new EngineConfig.Reserve(v.size(ConfigKey.RESERVE_MEMORY), v.size(ConfigKey.RESERVE_DISK), v.count(ConfigKey.RESERVE_PIDS),
                        v.positive(ConfigKey.RESERVE_MEMORY_TIMES), v.positive(ConfigKey.RESERVE_DISK_TIMES), v.positive(ConfigKey.RESERVE_PIDS_TIMES)),
                new EngineConfig.Warm(v.number(ConfigKey.WARM_SIZE), v.number(ConfigKey.WARM_TOTAL), v.number(ConfigKey.WARM_PARALLEL),
                        v.duration(ConfigKey.WARM_KEEP)),
                new EngineConfig.Uids(v.count(ConfigKey.UIDS_FIRST), v.number(ConfigKey.UIDS_COUNT)),
                new EngineConfig.Times(v.duration(ConfigKey.TIME_READY), v.duration(ConfigKey.TIME_LOCK), v.duration(ConfigKey.TIME_LIVENESS),
                        v.duration(ConfigKey.TIME_SWEEP), v.duration(ConfigKey.TIME_GRACE), v.duration(ConfigKey.TIME_ENDED), v.duration(ConfigKey.TIME_LOST), workspace(v)),
                new EngineConfig.Saving(contents(v), v.number(ConfigKey.SNAPSHOTS_KEEP_COUNT), v.duration(ConfigKey.SNAPSHOTS_KEEP_AGE)), building(v),
                PolicyConfig.of(v), v.flag(ConfigKey.REDACT_TOKENS));
    }

    private static java.time.Duration workspace(ConfigValues v) {
        var time = v.duration(ConfigKey.TIME_WORKSPACE);
        if (time.toMillis() < 1000 || time.compareTo(java.time.Duration.ofHours(23)) > 0) {
            throw Problem.field(ConfigKey.TIME_WORKSPACE.path(), "is " + dev.redoma.model.Amounts.time(time), "1s to 23h");
        }
        return time;
    }

    private static EngineConfig.Building building(ConfigValues v) {
        int atOnce = v.number(ConfigKey.BUILDS_AT_ONCE);
        if (atOnce == 0) {
            throw Problem.field(ConfigKey.BUILDS_AT_ONCE.path(), "is 0, so that no build would ever begin", "1 or more");
        }
        var step = v.duration(ConfigKey.BUILDS_STEP);
        if (step.toMillis() < 1000 || step.compareTo(java.time.Duration.ofHours(23)) > 0) {
            throw Problem.field(ConfigKey.BUILDS_STEP.path(), "is " + dev.redoma.model.Amounts.time(step), "1s to 23h");
        }
        return new EngineConfig.Building(atOnce, v.number(ConfigKey.BUILDS_WAITING), step, v.number(ConfigKey.BUILDS_MEMBERS), v.size(ConfigKey.BUILDS_FILES),
                v.size(ConfigKey.BUILDS_LOG), v.duration(ConfigKey.BUILDS_KEEP));
    }

    private static Map<ContentClass, Order> contents(ConfigValues v) {
        var orders = new EnumMap<ContentClass, Order>(ContentClass.class);
        for (ContentClass c : ContentClass.values()) {
            ConfigKey key = ConfigKey.valueOf("CONTENTS_" + c.name());
            orders.put(c, v.oneOf(key, Order::wire, c.mayBeScrubbed() ? List.of(Order.values()) : List.of(Order.KEEP, Order.REFUSE)));
        }
        return Map.copyOf(orders);
    }

    private static EngineConfig.Bounds bounds(ConfigValues v, EngineConfig.Bounds shipped) {
        var d = shipped.defaults();
        var m = shipped.most();
        return new EngineConfig.Bounds(
                new Limits(v.positive(ConfigKey.DEFAULT_CPU, d.cpu()), v.size(ConfigKey.DEFAULT_MEMORY, d.memoryBytes()), v.size(ConfigKey.DEFAULT_DISK),
                        v.count(ConfigKey.DEFAULT_PIDS), v.count(ConfigKey.DEFAULT_OPEN_FILES, d.openFiles()), v.size(ConfigKey.DEFAULT_SHM), d.ioBytesPerSecond(),
                        v.duration(ConfigKey.DEFAULT_LIFETIME).toMillis(), v.duration(ConfigKey.DEFAULT_IDLE).toMillis()),
                shipped.least(),
                new Limits(v.positive(ConfigKey.MOST_CPU, m.cpu()), v.size(ConfigKey.MOST_MEMORY, m.memoryBytes()), v.size(ConfigKey.MOST_DISK),
                        v.count(ConfigKey.MOST_PIDS), v.count(ConfigKey.MOST_OPEN_FILES, m.openFiles()), v.size(ConfigKey.MOST_SHM, m.shmBytes()), m.ioBytesPerSecond(),
                        v.duration(ConfigKey.MOST_LIFETIME).toMillis(), v.duration(ConfigKey.MOST_IDLE).toMillis()));
    }
}
