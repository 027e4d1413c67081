// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.store.Store;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/// Writes chains as JSON lines, up to their signed heads.
///
/// A record's line is `{"hash", "record"}`, and for sealed fields `"sealed"` (the ciphertext that the record's own `sealed` is the
/// SHA-256 of), `"opened"` (what it says) and `"key"` (with which that can be checked), the last two unless erased. A chain's head is
/// `{"head"}`, and the last line `{"end", "signature"}` vouches for the list of heads.
final class Export {
    private static final int PAGE = 500;

    private final Store store;
    private final SigningKey signing;
    private final BodyKeys bodyKeys;

    Export(Store store, SigningKey signing, BodyKeys bodyKeys) {
        this.store = store;
        this.signing = signing;
        this.bodyKeys = bodyKeys;
    }

    void write(List<Head> heads, OutputStream to) throws IOException {
        var out = new BufferedOutputStream(to, 1 << 16);
        for (var head : heads) {
            chain(head, out);
        }
        for (var head : heads) {
            line(out, Canonical.text(Map.of("head", head.json())));
        }
        var end = end(heads, signing.publicKey(), ChainLedger.now());
        line(out, Canonical.text(Map.of("end", end, "signature", signing.sign(Canonical.text(end)))));
        out.flush();
    }

    static Map<String, Object> end(List<Head> heads, String key, long at) {
        var list = new StringBuilder();
        heads.forEach(head -> list.append(Canonical.text(head.json())).append('\n'));
        return Map.of("at", at, "chains", heads.size(), "heads", Digests.hex(Digests.sha256(list.toString())), "key", key, "v", 1);
    }

    private void chain(Head head, OutputStream out) throws IOException {
        long seq = 0;
        while (seq < head.seq()) {
            long after = seq;
            var lines = store.read(tx -> {
                var keys = new HashMap<String, @Nullable SecretKey>();
                return Rows.page(tx, head.tenant(), after, head.seq(), PAGE).stream()
                        .map(row -> text(row, row.sealed() == null
                                ? null : keys.computeIfAbsent(row.owner(), o -> bodyKeys.forOpening(tx, row.tenant(), o))))
                        .toList();
            });
            if (lines.isEmpty()) {
                throw new IOException("the chain of " + head.tenant() + " ends after record " + seq + ", before its signed head");
            }
            for (var line : lines) {
                line(out, line);
            }
            seq += lines.size();
        }
    }

    private static String text(Row row, @Nullable SecretKey key) {
        var line = new StringBuilder(row.body().length() + 256).append("{\"hash\":\"").append(Digests.hex(row.hash())).append('"');
        var opened = key == null ? null : row.open(key);
        if (key != null && opened != null) {
            line.append(",\"key\":\"").append(base64(key.getEncoded())).append("\",\"opened\":").append(Canonical.text(opened));
        }
        line.append(",\"record\":").append(row.body());
        if (row.sealed() != null) {
            line.append(",\"sealed\":\"").append(base64(row.sealed())).append('"');
        }
        return line.append('}').toString();
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static void line(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.write('\n');
    }
}
