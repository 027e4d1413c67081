// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// What distributions' Java trusts, in its plain form (JKS): entries one after the other, then a digest over a password, which everybody knows, and all before it. The guest writes the same bytes.
public final class JavaKeystore {
    /// Where distributions keep it.
    public static final String PATH = "/etc/ssl/certs/java/cacerts";

    private static final int MAGIC = 0xfeedfeed;
    private static final int VERSION = 2;
    private static final int KEY = 1;
    private static final int TRUSTED = 2;
    private static final int DIGEST = 20;
    private static final int MOST_ENTRIES = 10_000;
    private static final Pattern PLACED = Pattern.compile("debian:redoma(-[0-9]+)?\\.pem|redoma-root-[0-9]+");

    private JavaKeystore() {}

    /// `whole`: as it stands there.
    public record Entry(String alias, byte[] whole) {
        /// Whether the platform placed it.
        public boolean placed() {
            return PLACED.matcher(alias).matches();
        }
    }

    /// Empty where it is in another form, broken, or under another password.
    public static Optional<List<Entry>> read(byte[] store) {
        int length = store.length - DIGEST;
        if (length < 12 || !MessageDigest.isEqual(digest(store, length), Arrays.copyOfRange(store, length, store.length))) {
            return Optional.empty();
        }
        try {
            return entries(ByteBuffer.wrap(store, 0, length));
        } catch (BufferUnderflowException | IllegalArgumentException broken) {
            return Optional.empty();
        }
    }

    private static Optional<List<Entry>> entries(ByteBuffer at) {
        if (at.getInt() != MAGIC || at.getInt() != VERSION) {
            return Optional.empty();
        }
        int count = at.getInt();
        var found = new ArrayList<Entry>();
        for (int i = 0; i < count && i < MOST_ENTRIES; i++) {
            int begin = at.position();
            int tag = at.getInt();
            byte[] alias = new byte[Short.toUnsignedInt(at.getShort())];
            at.get(alias).getLong();
            int chain = 1;
            if (tag == KEY) {
                skip(at, at.getInt());
                chain = at.getInt();
            } else if (tag != TRUSTED) {
                return Optional.empty();
            }
            for (int c = 0; c < chain; c++) {
                skip(at, Short.toUnsignedInt(at.getShort()));
                skip(at, at.getInt());
            }
            found.add(new Entry(new String(alias, StandardCharsets.ISO_8859_1), Arrays.copyOfRange(at.array(), begin, at.position())));
        }
        return at.hasRemaining() || found.size() != count ? Optional.empty() : Optional.of(found);
    }

    private static void skip(ByteBuffer at, int count) {
        at.position(Math.addExact(at.position(), count < 0 ? Integer.MAX_VALUE / 2 : count));
    }

    /// Of the one number among those that are placed beside the roots: the sandbox's own authority is the first.
    public static String alias(int number) {
        return number == 0 ? "debian:redoma.pem" : "debian:redoma-" + number + ".pem";
    }

    public static Entry trusted(String alias, byte[] certificate) {
        byte[] name = alias.getBytes(StandardCharsets.ISO_8859_1);
        byte[] type = "X.509".getBytes(StandardCharsets.ISO_8859_1);
        var entry = ByteBuffer.allocate(4 + 2 + name.length + 8 + 2 + type.length + 4 + certificate.length);
        entry.putInt(TRUSTED).putShort((short) name.length).put(name).putLong(0).putShort((short) type.length).put(type).putInt(certificate.length).put(certificate);
        return new Entry(alias, entry.array());
    }

    public static byte[] store(List<Entry> entries) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(ByteBuffer.allocate(12).putInt(MAGIC).putInt(VERSION).putInt(entries.size()).array());
        entries.forEach(e -> out.writeBytes(e.whole()));
        byte[] body = out.toByteArray();
        out.writeBytes(digest(body, body.length));
        return out.toByteArray();
    }

    private static byte[] digest(byte[] body, int length) {
        try {
            var sha = MessageDigest.getInstance("SHA-1");
            sha.update("changeit".getBytes(StandardCharsets.UTF_16BE));
            sha.update("Mighty Aphrodite".getBytes(StandardCharsets.ISO_8859_1));
            sha.update(body, 0, length);
            return sha.digest();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
