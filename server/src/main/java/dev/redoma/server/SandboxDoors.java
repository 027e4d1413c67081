// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Ports;
import dev.redoma.engine.Redoma;
import dev.redoma.engine.Sandboxes;
import dev.redoma.gateway.ingress.Doors;
import dev.redoma.http.Exchange;
import dev.redoma.model.Caller;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.protocols.e2b.SandboxTokens;
import dev.redoma.protocols.e2b.Traits;
import dev.redoma.policy.Audience;
import dev.redoma.protocols.e2b.envd.Envd;
import dev.redoma.server.keys.Keys;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The sandboxes of the engine as the router sees them. Nobody who comes this way has a key: what they may do is what a sandbox's tokens
/// say, and they do it as its maker. Thread-safe.
final class SandboxDoors implements Doors, AutoCloseable {
    private static final Caller ROUTER = new Caller("router", TenantId.DEFAULT, Set.of(Scope.OPERATE));
    private static final int PAGE = 200;

    private final Redoma redoma;
    private final SandboxTokens tokens;
    private final Envd envd;
    private final Keys keys;
    private final boolean publicPorts;

    /// `publicPorts`: whether anybody may come in where the maker asked for no token.
    SandboxDoors(Redoma redoma, SandboxTokens tokens, Envd envd, Keys keys, boolean publicPorts) {
        this.redoma = redoma;
        this.tokens = tokens;
        this.envd = envd;
        this.keys = keys;
        this.publicPorts = publicPorts;
    }

    @Override
    public @Nullable Door find(String id, int port) {
        return redoma.ports().seen(id).filter(seen -> !seen.state().equals("ended")).map(seen -> door(seen, port)).orElse(null);
    }

    /// One that is paused and is woken by its use is used like one that runs.
    private static boolean open(Sandbox sandbox) {
        return switch (sandbox.state()) {
            case "running", "creating" -> true;
            case "paused" -> sandbox.onTimeout().equals("sleep");
            default -> false;
        };
    }

    private Door door(Ports.Seen seen, int port) {
        var id = seen.id();
        var caller = new Caller(seen.by(), seen.tenant(), Set.of(Scope.READ, Scope.EXEC));
        var traits = Traits.of(seen.labels());
        boolean asleep = seen.state().equals("paused") && seen.sleeps();
        boolean open = publicPorts && traits.publicTraffic() && redoma.exposures().leaves(id, port, Audience.PUBLIC);
        var traffic = tokens.traffic(id);
        var token = !open && traits.e2b() && redoma.exposures().leaves(id, port, Audience.TOKEN) ? traffic : null;
        var secrets = tokens.envd(id, traits).map(envd -> Set.of(envd, traffic)).orElse(Set.of(traffic));
        return new Door(caller, seen.state(), asleep, open, token, traits.maskRequestHost(), Map.of(Envd.PORT, http -> envd.handle(http, redoma.sandboxes().get(ROUTER, id))), secrets);
    }

    @Override
    public @Nullable Caller keyed(String text) {
        return keys.find(text).orElse(null);
    }

    @Override
    public boolean stands(Caller key) {
        return keys.alive(key);
    }

    @Override
    public @Nullable String signed(Exchange http) {
        String cursor = null;
        do {
            var page = redoma.sandboxes().list(ROUTER, new Sandboxes.Query(Set.of("running", "paused"), Map.of(), null, cursor, PAGE));
            for (var sandbox : page.items()) {
                if (open(sandbox) && envd.signs(http, sandbox)) {
                    return sandbox.id();
                }
            }
            cursor = page.next();
        } while (cursor != null);
        return null;
    }

    @Override
    public void close() {
        envd.close();
    }
}
