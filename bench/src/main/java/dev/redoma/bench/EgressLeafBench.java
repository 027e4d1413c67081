// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.gateway.egress.SandboxAuthority;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.List;

/// A certificate for a name that a sandbox has not asked for before, by its own authority, in a process that has made some. The floor is what cannot be left out of it: one signature.
final class EgressLeafBench implements Bench {
    private static final int WARM_UP = 500;
    private static final int NAMES = 500;
    private static final int SECRET = 32;

    @Override
    public String name() {
        return "egress.leaf";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        var authority = SandboxAuthority.of(new byte[SECRET], "bench");
        var keys = KeyPairGenerator.getInstance("EC");
        keys.initialize(new ECGenParameterSpec("secp256r1"));
        var key = keys.generateKeyPair().getPrivate();
        var ours = new double[NAMES];
        var floor = new double[NAMES];
        for (int i = -WARM_UP; i < NAMES; i++) {
            long start = System.nanoTime();
            sign(key);
            long signed = System.nanoTime();
            authority.leaf("name" + i + "." + EgressLab.DOMAIN, false, Instant.now());
            if (i >= 0) {
                floor[i] = (signed - start) / 1e6;
                ours[i] = (System.nanoTime() - signed) / 1e6;
            }
        }
        return List.of(new Figure("egress.leaf", "ms", new Samples(ours), "one signature", new Samples(floor).p50(), new Bar.Within(2, "ms")));
    }

    private static void sign(PrivateKey key) throws GeneralSecurityException {
        var signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(key);
        signature.update(new byte[SECRET]);
        signature.sign();
    }
}
