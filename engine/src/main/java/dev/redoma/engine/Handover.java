// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import com.google.protobuf.ByteString;
import dev.redoma.engine.proto.Configure;
import dev.redoma.engine.proto.Ps;
import dev.redoma.engine.proto.Request;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// Tells a guest what it is now, and waits until it has confirmed. Thread-safe.
final class Handover {
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final int ENTROPY = 64;

    private final SecureRandom random = new SecureRandom();

    /// A new machine: identity and randomness of its own; the name is what it was started with.
    void begin(LiveBox live, String hostname) {
        send(live, Configure.newBuilder().setHostname(hostname).setMachineId(machineId()).setEntropy(entropy()));
    }

    /// A new machine that is not to be told who it is: nothing is written into its files.
    void bare(LiveBox live) {
        send(live, Configure.newBuilder().setEntropy(entropy()));
    }

    /// One that was begun and waited: told its name if it is another than it was begun with, else only asked whether it answers.
    void claimed(LiveBox live, String begun, String hostname) {
        if (hostname.equals(begun)) {
            ask(live, Request.newBuilder().setPs(Ps.getDefaultInstance()));
        } else {
            live.instance().hostname(hostname);
            send(live, Configure.newBuilder().setHostname(hostname));
        }
    }

    /// The same machine after a pause or a restart of the server.
    void resume(LiveBox live, String hostname) {
        live.instance().hostname(hostname);
        send(live, Configure.newBuilder().setHostname(hostname).setEntropy(entropy()));
    }

    /// What its resolver is, and whom its programs are to trust, in PEM (null: whom they trusted before).
    void network(LiveBox live, String resolvConf, @Nullable String authority) {
        var message = Configure.newBuilder().setResolvConf(ByteString.copyFromUtf8(resolvConf));
        if (authority != null) {
            message.setTrust(TrustFiles.message(authority));
        }
        send(live, message);
    }

    /// They trust what their template does.
    void distrust(LiveBox live) {
        send(live, Configure.newBuilder().setTrust(TrustFiles.gone()));
    }

    private static void send(LiveBox live, Configure.Builder what) {
        ask(live, Request.newBuilder().setConfigure(what));
    }

    private static void ask(LiveBox live, Request.Builder what) {
        try (GuestOp op = live.guest().open(what.build(), ANSWER)) {
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
