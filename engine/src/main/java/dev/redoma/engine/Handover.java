// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import com.google.protobuf.ByteString;
import dev.redoma.engine.proto.Configure;
import dev.redoma.engine.proto.Request;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;

/// Tells a guest what it is now, and waits until it has confirmed. Thread-safe.
final class Handover {
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final int ENTROPY = 64;

    private final SecureRandom random = new SecureRandom();

    /// A new machine: name, identity and randomness of its own.
    void begin(LiveBox live, String hostname) {
        send(live, Configure.newBuilder().setHostname(hostname).setMachineId(machineId()).setEntropy(entropy()));
    }

    /// The same machine after a pause or a restart of the server.
    void resume(LiveBox live, String hostname) {
        send(live, Configure.newBuilder().setHostname(hostname).setEntropy(entropy()));
    }

    private static void send(LiveBox live, Configure.Builder what) {
        live.instance().hostname(what.getHostname());
        try (GuestOp op = live.guest().open(Request.newBuilder().setConfigure(what).build(), ANSWER)) {
            op.answer(ANSWER, "the hand-over");
        }
    }

    private ByteString entropy() {
        byte[] bytes = new byte[ENTROPY];
        random.nextBytes(bytes);
        return ByteString.copyFrom(bytes);
    }

    private String machineId() {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
