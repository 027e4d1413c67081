// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.security.GeneralSecurityException;
import java.time.Duration;
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
    private static final long FRESH = Duration.ofHours(24).toNanos();
    private static final int SESSIONS = 64;

    private final UpstreamTrust upstream;
    private final Supplier<SandboxAuthority> minting;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);
    private @Nullable SSLContext outside;

    private record Kept(SSLContext context, long since) {}

    private @Nullable SandboxAuthority authority;

    /// `authority`: asked for when it is needed first.
    Interception(UpstreamTrust upstream, Supplier<SandboxAuthority> authority) {
        this.upstream = upstream;
        this.minting = authority;
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
            if (known == null || System.nanoTime() - known.since > FRESH) {
                known = new Kept(context(minted().leaf(host, address)), System.nanoTime());
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
