// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// How TLS of one sandbox is ended and begun again: certificates for the names that it asks for, and whose certificates are believed outside. Sessions of one host are never
/// those of another, nor of another sandbox. Thread-safe.
final class Interception {
    /// Hosts whose certificates are kept; the one used longest ago goes first.
    static final int KEPT = 64;
    private static final Duration FRESH = Duration.ofHours(24);
    private static final int SESSIONS = 64;

    private final UpstreamTrust upstream;
    private final Supplier<SandboxAuthority> minting;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);
    private @Nullable SSLContext outside;

    private final InstantSource clock;

    /// `since`: by the host's clock, which is that of the sandbox too. It may be set while they live: a certificate is used by the time that it is good for, not by how long it was kept.
    private record Kept(SSLContext context, Instant since) {
        boolean good(Instant now) {
            return !now.isBefore(since) && now.isBefore(since.plus(FRESH));
        }
    }

    private @Nullable SandboxAuthority authority;

    /// `authority`: asked for when it is needed first.
    Interception(UpstreamTrust upstream, Supplier<SandboxAuthority> authority) {
        this(upstream, authority, InstantSource.system());
    }

    Interception(UpstreamTrust upstream, Supplier<SandboxAuthority> authority, InstantSource clock) {
        this.upstream = upstream;
        this.minting = authority;
        this.clock = clock;
    }

    private SandboxAuthority minted() {
        if (authority == null) {
            authority = minting.get();
        }
        return authority;
    }

    /// Towards the origin.
    SSLContext outward() {
        lock.lock();
        try {
            if (outside == null) {
                outside = upstream.context();
                outside.getClientSessionContext().setSessionCacheSize(SESSIONS);
            }
            return outside;
        } finally {
            lock.unlock();
        }
    }

    /// Towards the program inside, as this host.
    SSLContext inward(String host, boolean address) {
        lock.lock();
        try {
            Kept known = kept.get(host);
            Instant now = clock.instant();
            if (known == null || !known.good(now)) {
                known = new Kept(context(minted().leaf(host, address, now)), now);
                kept.put(host, known);
                if (kept.size() > KEPT) {
                    kept.remove(kept.keySet().iterator().next());
                }
            }
            return known.context;
        } finally {
            lock.unlock();
        }
    }

    private static SSLContext context(SandboxAuthority.Leaf leaf) {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {new OneKey(leaf)}, null, null);
            context.getServerSessionContext().setSessionCacheSize(SESSIONS);
            return context;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("a certificate cannot be used", impossible);
        }
    }
}
