// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// The benches' internet: what is measured goes through a gateway, the floor does not, and nothing stays.
@ExtendWith(LabExtension.class)
@Timeout(120)
class EgressLabTest {
    private final Lab lab;

    EgressLabTest(Lab lab) {
        this.lab = lab;
    }

    @Test
    void theSameTalkGoesThroughTheGatewayAndWithoutIt() throws Exception {
        ProcessHandle gateway;
        try (var egress = new EgressLab(lab.rig())) {
            gateway = ProcessHandle.of(egress.gateway.pid()).orElseThrow();
            var sandbox = egress.sandbox();
            try (var resolver = EgressLab.resolver(sandbox)) {
                assertThatThrownBy(() -> EgressLab.address(resolver, "elsewhere.example")).isInstanceOf(IOException.class).hasMessageContaining("code 3");
                var address = EgressLab.address(resolver, "a.bench.example");
                assertThat(address.getHostAddress()).startsWith("198.18.");
                for (int port : new int[] {EgressLab.HTTP, EgressLab.BYTES}) {
                    try (var direct = egress.direct(port); var through = EgressLab.through(sandbox, address, port)) {
                        for (var channel : new java.nio.channels.SocketChannel[] {direct, through}) {
                            assertThat(new Talk(channel.socket().getInputStream(), channel.socket().getOutputStream()).get("a.bench.example", "/1000")).isEqualTo(1000);
                        }
                    }
                }
                try (var socket = TlsTalk.connected(egress.tls.client(), EgressLab.through(sandbox, address, EgressLab.TLS), "a.bench.example")) {
                    assertThat(new Talk(socket.getInputStream(), socket.getOutputStream()).get("a.bench.example", "/7")).isEqualTo(7);
                }
                assertThatThrownBy(() -> TlsTalk.connected(egress.tls.client(), EgressLab.through(sandbox, address, EgressLab.TLS), "b.bench.example"))
                        .as("the gateway is in between").isInstanceOf(IOException.class);
            }
        }
        assertThat(gateway.isAlive()).isFalse();
    }
}
