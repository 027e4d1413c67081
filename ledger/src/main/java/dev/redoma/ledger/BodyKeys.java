// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.store.Sql;
import dev.redoma.store.Store;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// The keys of sealed bodies, one a sandbox, kept in the database wrapped by the installation's key. Thread-safe.
///
/// What is remembered between reads is only which wrapped text opens to which key, so a transaction that is undone cannot leave
/// anything wrong behind; what units that write seal with is remembered until one is undone.
final class BodyKeys {
    private static final int REMEMBERED = 2_000;

    private final SecretKey installation;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<ByteBuffer, SecretKey> unwrapped = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, SecretKey> eldest) {
            return size() > REMEMBERED;
        }
    };

    private record Owner(String tenant, String name) {}

    private final Remembered<Owner, SecretKey> sealing;

    BodyKeys(Store store, Path file, boolean mayCreate) {
        sealing = new Remembered<>(store);
        String text = KeyFile.readOrCreate(file, mayCreate, () -> Base64.getEncoder().encodeToString(Sealing.randomKey().getEncoded()) + "\n");
        try {
            installation = Sealing.key(Base64.getDecoder().decode(text.strip()));
        } catch (IllegalArgumentException e) {
            throw KeyFile.unusable(file, e);
        }
    }

    /// Records of no sandbox share a key of their tenant.
    static String owner(String tenant, @Nullable String sandbox) {
        return sandbox != null ? sandbox : "tenant:" + tenant;
    }

    /// The key to seal with, in a unit that writes. For an owner that was erased it is one that nobody keeps.
    SecretKey forSealing(Handle tx, String tenant, String owner) {
        var asked = new Owner(tenant, owner);
        var known = sealing.of(asked);
        if (known != null) {
            return known;
        }
        var row = find(tx, owner);
        SecretKey key;
        if (row == null) {
            key = make(tx, tenant, owner);
        } else if (row.wrapped != null) {
            key = unwrap(tenant, owner, row.wrapped);
            if (key == null) {
                throw new IllegalStateException("the body key of " + owner + " was not wrapped by this installation, or was changed");
            }
        } else {
            return Sealing.randomKey();
        }
        sealing.now(asked, key);
        return key;
    }

    private SecretKey make(Handle tx, String tenant, String owner) {
        var key = Sealing.randomKey();
        byte[] wrapped = Sealing.seal(installation, key.getEncoded(), context(tenant, owner));
        Sql.update(tx, "INSERT INTO body_key (sandbox, tenant, wrapped) VALUES (?, ?, ?)", owner, tenant, wrapped);
        remember(wrapped, key);
        return key;
    }

    /// What is no record has a key of its own, made of the owner's and the installation's: exports hold the owner's.
    SecretKey own(SecretKey bodyKey) {
        return Sealing.key(mac("no record\n", bodyKey.getEncoded()));
    }

    byte[] digest(byte[] bytes) {
        return mac("digest\n", bytes);
    }

    private byte[] mac(String purpose, byte[] bytes) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(installation);
            mac.update(purpose.getBytes(StandardCharsets.UTF_8));
            return mac.doFinal(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Null where the key was erased, or there is none that this installation can unwrap.
    @Nullable SecretKey forOpening(Handle tx, String tenant, String owner) {
        var row = find(tx, owner);
        return row == null || row.wrapped == null ? null : unwrap(tenant, owner, row.wrapped);
    }

    /// Whether what is sealed in that record can be opened. What one record of an owner tells holds for all: they are sealed with one key.
    boolean opens(Handle tx, Row row, byte[] sealed) {
        var key = forOpening(tx, row.tenant(), row.owner());
        return key != null && Sealing.open(key, sealed, Row.context(row.tenant(), row.owner(), row.seq())) != null;
    }

    void erase(Handle tx, String tenant, String owner, long at) {
        var row = find(tx, owner);
        Sql.update(tx, """
                INSERT INTO body_key (sandbox, tenant, wrapped, erased_at) VALUES (?, ?, NULL, ?)
                ON CONFLICT (sandbox) DO UPDATE SET wrapped = NULL, erased_at = coalesce(erased_at, excluded.erased_at)""", owner, tenant, at);
        sealing.forget(new Owner(tenant, owner));
        if (row != null && row.wrapped != null) {
            forget(row.wrapped);
        }
    }

    @Nullable String tenantOf(Handle tx, String owner) {
        return Sql.first(tx, row -> row.getString(1), "SELECT tenant FROM body_key WHERE sandbox = ?", owner);
    }

    private record Kept(byte @Nullable [] wrapped) {}

    private static @Nullable Kept find(Handle tx, String owner) {
        return Sql.first(tx, row -> new Kept(row.getBytes(1)), "SELECT wrapped FROM body_key WHERE sandbox = ?", owner);
    }

    private @Nullable SecretKey unwrap(String tenant, String owner, byte[] wrapped) {
        lock.lock();
        try {
            var known = unwrapped.get(ByteBuffer.wrap(wrapped));
            if (known != null) {
                return known;
            }
        } finally {
            lock.unlock();
        }
        byte[] raw = Sealing.open(installation, wrapped, context(tenant, owner));
        if (raw == null) {
            return null;
        }
        var key = Sealing.key(raw);
        remember(wrapped, key);
        return key;
    }

    private void remember(byte[] wrapped, SecretKey key) {
        lock.lock();
        try {
            unwrapped.put(ByteBuffer.wrap(wrapped.clone()), key);
        } finally {
            lock.unlock();
        }
    }

    private void forget(byte[] wrapped) {
        lock.lock();
        try {
            unwrapped.remove(ByteBuffer.wrap(wrapped));
        } finally {
            lock.unlock();
        }
    }

    private static byte[] context(String tenant, String owner) {
        return ("body key\n" + tenant + "\n" + owner).getBytes(StandardCharsets.UTF_8);
    }
}
