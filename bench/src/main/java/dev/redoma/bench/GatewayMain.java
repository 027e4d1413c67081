// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.engine.Network.Place;
import dev.redoma.gateway.CheckedDialler;
import dev.redoma.gateway.egress.EgressGateway;
import dev.redoma.kernel.NetworkNamespace;
import dev.redoma.ledger.ChainLedger;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.policy.EffectivePolicy;
import dev.redoma.policy.PolicyFile;
import dev.redoma.policy.PolicyStack;
import dev.redoma.store.SqliteStore;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// The gateway of a server, with database and ledger, in a process of its own, whose internet is a network of the bench's: arguments are a directory, the pid of
/// that network's holder and a file of authorities that the gateway believes. A line on stdin is an order, answered by a line: `attach PID`, `rest`. It ends with its stdin.
public final class GatewayMain {
    /// Where every name leads.
    static final String ORIGIN = "45.0.0.1";
    /// TLS as it is, plain HTTP, a port whose bytes pass as they are, and one where TLS is intercepted.
    static final String POLICY = "egress:\n  web:\n    - {hosts: ['*.bench.example'], ports: [80, 443, 9000], tls: opaque}\n    - {hosts: ['*.bench.example'], ports: [8443], methods: [GET]}\n";

    private GatewayMain() {}

    public static void main(String[] args) throws Exception {
        var dir = Path.of(args[0]);
        try (var outside = NetworkNamespace.ofProcess(Long.parseLong(args[1]));
                var store = SqliteStore.open(dir.resolve("gateway.db"));
                var gateway = new EgressGateway(store, ChainLedger.open(store, dir), new CheckedDialler(name -> new InetAddress[] {InetAddress.ofLiteral(ORIGIN)}, outside::socket, Duration.ofSeconds(5)), own -> false,
                        new EgressGateway.Tls(new byte[32], new dev.redoma.gateway.egress.UpstreamTrust(Path.of(args[2]))))) {
            var policy = new PolicyStack("bench", List.of(PolicyFile.read("request", "bench", POLICY))).mustBeEnforced(gateway.enforces()).effective(1);
            serve(gateway, policy);
        }
        System.exit(0);
    }

    private static void serve(EgressGateway gateway, EffectivePolicy policy) throws Exception {
        var orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("ready");
        for (var order = orders.readLine(); order != null; order = orders.readLine()) {
            if (order.startsWith("attach ")) {
                var network = Path.of("/proc", order.substring(7), "ns/net");
                gateway.apply(new Place(SandboxId.mint(), TenantId.DEFAULT, null, policy, network, () -> true));
            } else {
                System.gc();
            }
            System.out.println("done");
        }
    }
}
