// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.engine.NetworkWishes;
import dev.redoma.model.wire.Mount;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.protocols.e2b.SandboxTokens;
import dev.redoma.protocols.e2b.Traits;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Sandboxes as these clients know them. Thread-safe.
final class Answers {
    /// What envd of ours can do, in the vendor's count: the SDKs turn features on by it.
    static final String ENVD = "0.6.13";

    /// Required by the schema, of no use to anybody.
    private static final String CLIENT = "redoma";

    private final SandboxTokens tokens;
    private final @Nullable String domain;
    private final boolean publicPorts;

    Answers(SandboxTokens tokens, @Nullable String domain, boolean publicPorts) {
        this.tokens = tokens;
        this.domain = domain;
        this.publicPorts = publicPorts;
    }

    /// Of create, connect, resume and fork.
    public record Made(
            String templateID,
            String sandboxID,
            String clientID,
            String envdVersion,
            String alias,
            @Nullable String envdAccessToken,
            @Nullable String trafficAccessToken,
            @Nullable String domain) {}

    public record Listed(
            String templateID,
            String sandboxID,
            String clientID,
            String alias,
            Instant startedAt,
            Instant endAt,
            String envdVersion,
            int cpuCount,
            long memoryMB,
            long diskSizeMB,
            String state,
            Map<String, String> metadata,
            List<Requests.Mount> volumeMounts) {}

    public record Detail(
            String templateID,
            String sandboxID,
            String clientID,
            String alias,
            Instant startedAt,
            Instant endAt,
            String envdVersion,
            int cpuCount,
            long memoryMB,
            long diskSizeMB,
            String state,
            Map<String, String> metadata,
            List<Requests.Mount> volumeMounts,
            @Nullable String envdAccessToken,
            @Nullable String domain,
            boolean allowInternetAccess,
            NetworkView network,
            Lifecycle lifecycle) {}

    /// What is in force of a sandbox's network.
    public record NetworkView(boolean allowPublicTraffic, @Nullable String maskRequestHost, List<String> allowOut, List<String> denyOut) {}

    public record Lifecycle(boolean autoResume, String onTimeout) {}

    Made made(Sandbox s) {
        return new Made(template(s), s.id(), CLIENT, ENVD, template(s), tokens.envd(s).orElse(null), Traits.of(s).e2b() && !anybody(s) ? tokens.traffic(s) : null, domain);
    }

    /// As it is in force: what the sandbox was made with, where the operator leaves it.
    private boolean anybody(Sandbox s) {
        return publicPorts && Traits.of(s).publicTraffic();
    }

    static Listed listed(Sandbox s) {
        return new Listed(template(s), s.id(), CLIENT, template(s), started(s), end(s), ENVD, cores(s), mib(s.limits().memoryBytes()), mib(s.limits().diskBytes()),
                state(s), Traits.metadata(s), mounts(s));
    }

    Detail detail(Sandbox s, NetworkWishes network) {
        var l = listed(s);
        var traits = Traits.of(s);
        return new Detail(l.templateID(), l.sandboxID(), l.clientID(), l.alias(), l.startedAt(), l.endAt(), l.envdVersion(), l.cpuCount(), l.memoryMB(),
                l.diskSizeMB(), l.state(), l.metadata(), l.volumeMounts(), tokens.envd(s).orElse(null), domain, network.internet(),
                new NetworkView(anybody(s), traits.maskRequestHost(), network.allowOut(), network.denyOut()),
                new Lifecycle(s.onTimeout().equals("sleep"), s.onTimeout().equals("kill") ? "kill" : "pause"));
    }

    private static String template(Sandbox s) {
        return s.template().name();
    }

    private static Instant started(Sandbox s) {
        return Objects.requireNonNullElse(s.startedAt(), s.createdAt());
    }

    private static Instant end(Sandbox s) {
        return Objects.requireNonNullElse(s.endsAt(), started(s));
    }

    /// Whether it keeps its processes or only its disk: to these clients it is paused.
    static String state(Sandbox s) {
        return s.state().equals("running") || s.state().equals("creating") ? "running" : "paused";
    }

    private static int cores(Sandbox s) {
        var cpu = s.limits().cpu();
        return cpu == null ? 1 : (int) Math.max(1, Math.ceil(cpu));
    }

    private static long mib(@Nullable Long bytes) {
        return bytes == null ? 0 : bytes >> 20;
    }

    private static List<Requests.Mount> mounts(Sandbox s) {
        return s.volumes().stream().filter(m -> m.cache() == null).map(Answers::mount).toList();
    }

    private static Requests.Mount mount(Mount m) {
        return new Requests.Mount(m.name(), m.path());
    }
}
