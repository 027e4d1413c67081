// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Verifies an export on its own. For one use.
final class Verification {
    private static final Set<Set<String>> RECORD_LINES = Set.of(
            Set.of("hash", "record"), Set.of("hash", "record", "sealed"), Set.of("hash", "record", "sealed", "key", "opened"));
    private static final Set<String> END_LINE = Set.of("end", "signature");

    private final @Nullable String pinned;
    private final KeptHeads kept;
    private final Map<String, ChainCheck> chains = new LinkedHashMap<>();
    private final Map<String, Unopened> unopened = new LinkedHashMap<>();
    private final List<Head> heads = new ArrayList<>();
    private @Nullable String key; // which signed it, as it says itself
    private boolean ended;
    private long records;
    private long compared;

    private Verification(@Nullable String pinned, KeptHeads kept) {
        this.kept = kept;
        this.pinned = pinned;
        key = pinned;
    }

    static Verdict ofExport(Path file, @Nullable String pinnedKey, KeptHeads kept) throws IOException {
        var verification = new Verification(pinnedKey, kept);
        try (var lines = new Lines(file)) {
            long number = 0;
            for (String line = lines.next(); line != null; line = lines.next()) {
                var failed = verification.line(line, ++number);
                if (failed != null) {
                    return failed;
                }
            }
        }
        return verification.end();
    }

    private @Nullable Verdict line(String line, long number) {
        var json = Json.object(line);
        if (json == null) {
            return unreadable(number);
        }
        if (ended) {
            return failed(null, 0, "line " + number + " follows the end");
        }
        if (RECORD_LINES.contains(json.keySet()) && json.get("record") instanceof Map<?, ?> body) {
            return record(json, named(body));
        }
        if (json.keySet().equals(END_LINE) && json.get("end") instanceof Map<?, ?> end) {
            return end(named(end), json.get("signature"));
        }
        var head = json.size() == 1 ? Head.from(json.get("head")) : null;
        return head != null ? head(head) : unreadable(number);
    }

    @SuppressWarnings("unchecked") // JSON's names are strings
    private static Map<String, Object> named(Map<?, ?> object) {
        return (Map<String, Object>) object;
    }

    /// The bad record is then the one after the last good one of the chain being read; before any, the file is no export at all.
    private Verdict unreadable(long number) {
        var open = chains.values().stream().reduce((first, second) -> second).orElse(null);
        String tenant = open == null ? null : chains.entrySet().stream().reduce((a, b) -> b).orElseThrow().getKey();
        return open == null ? failed(null, 0, "not an exported record (line " + number + ")") : failed(tenant, open.seq() + 1, "line " + number + " cannot be read");
    }

    private @Nullable Verdict record(Map<String, Object> json, Map<String, Object> body) {
        if (!(body.get("tenant") instanceof String tenant) || !heads.isEmpty()) {
            return failed(null, records + 1, "record " + (records + 1) + " of the file is out of place");
        }
        var check = chains.computeIfAbsent(tenant, t -> new ChainCheck(t, kept.of(t)));
        byte[] sealed = bytes(json.get("sealed"));
        boolean sound = check.next(body, Canonical.text(body), String.valueOf(json.get("hash")), sealed) && opens(check, json, body, sealed);
        var failure = check.failure();
        if (!sound && failure != null) {
            return failed(tenant, failure.record(), failure.message());
        }
        records++;
        var hidden = unopened.computeIfAbsent(tenant, t -> new Unopened());
        hidden.look(body);
        if (sealed != null && !(json.get("opened") instanceof Map<?, ?>)) {
            hidden.of(body, check.seq());
        }
        return null;
    }

    /// What a line says the sealed fields are must be what the ciphertext opens to.
    private static boolean opens(ChainCheck check, Map<String, Object> json, Map<String, Object> body, byte @Nullable [] sealed) {
        if (!(json.get("opened") instanceof Map<?, ?> opened)) {
            return true;
        }
        byte[] raw = bytes(json.get("key"));
        String tenant = String.valueOf(body.get("tenant"));
        String owner = BodyKeys.owner(tenant, body.get("sandbox") instanceof String s ? s : null);
        byte[] plain = raw == null || raw.length != 32 || sealed == null
                ? null : Sealing.open(Sealing.key(raw), sealed, Row.context(tenant, owner, check.seq()));
        return plain != null && new String(plain, StandardCharsets.UTF_8).equals(Canonical.text(named(opened)))
                || check.fail(check.seq(), "the opened fields of record " + check.seq() + " are not what was sealed");
    }

    private static byte @Nullable [] bytes(@Nullable Object base64) {
        try {
            return base64 instanceof String text ? Digests.base64(text) : null;
        } catch (IllegalArgumentException malformed) {
            return new byte[0]; // fits no digest
        }
    }

    private @Nullable Verdict head(Head head) {
        heads.add(head);
        key = key == null ? head.key() : key;
        if (!head.signedBy(key)) {
            return failed(head.tenant(), head.seq(), "the head of " + head.tenant() + " is not signed by the key " + key);
        }
        var chain = chains.get(head.tenant());
        if (chain == null || chain.seq() < head.seq()) {
            long first = chain == null ? 1 : chain.seq() + 1;
            return failed(head.tenant(), first, "record " + first + " is missing: the chain was signed up to record " + head.seq());
        }
        if (chain.seq() > head.seq() || !chain.hash().equals(head.hash())) {
            return failed(head.tenant(), Math.min(chain.seq(), head.seq() + 1), "the records do not lead to the signed head at " + head.seq());
        }
        return null;
    }

    private @Nullable Verdict end(Map<String, Object> end, @Nullable Object signature) {
        ended = true;
        String signer = key == null && end.get("key") instanceof String own ? own : key;
        key = signer;
        boolean signed = signer != null && signature instanceof String s && SigningKey.verifies(signer, Canonical.text(end), s);
        boolean sameHeads = signer != null && end.get("at") instanceof Long at && end.equals(Json.object(Canonical.text(Export.end(heads, signer, at))));
        return signed && sameHeads ? null : failed(null, 0, "the end is not signed by the key " + signer + " for these heads");
    }

    private Verdict end() {
        for (var tenant : chains.keySet()) {
            var check = chains.get(tenant);
            var failure = check.nothingMissing() ? null : check.failure();
            if (failure != null) {
                return failed(tenant, failure.record(), failure.message());
            }
            var contradicted = contradicted(tenant, check);
            if (contradicted != null) {
                return contradicted;
            }
            if (heads.stream().noneMatch(head -> head.tenant().equals(tenant))) {
                long next = chains.get(tenant).seq() + 1;
                return failed(tenant, next, "the chain of " + tenant + " has no signed head: it was cut after record " + (next - 1));
            }
        }
        if (!ended) {
            return failed(null, 0, "the signed end is missing: the file was cut");
        }
        var gaps = ChainCheck.told(chains.values().stream().mapToLong(ChainCheck::gaps).sum());
        var hidden = Unopened.verdict(unopened, records, (pinned != null ? "are whole" : "fit together, and only a key pinned elsewhere can vouch for them") + gaps);
        if (hidden != null) {
            return hidden;
        }
        return pinned != null
                ? new Verdict(Verdict.Status.OK, records, null, 0, records + " records in " + chains.size() + " chains are whole" + KeptHeads.told(compared) + gaps)
                : new Verdict(Verdict.Status.UNANCHORED, records, null, 0,
                        records + " records fit together, signed by " + key + "; only a key pinned elsewhere can vouch for them" + KeptHeads.told(compared) + gaps);
    }

    /// By a head that was kept elsewhere: one that somebody else signed, or one older than the export that it does not reach. A later one says nothing of it.
    private @Nullable Verdict contradicted(String tenant, ChainCheck check) {
        var own = kept.of(tenant);
        if (key != null && !check.signatures(key)) {
            var failure = Objects.requireNonNull(check.failure());
            return failed(tenant, failure.record(), failure.message());
        }
        long made = heads.stream().filter(head -> head.tenant().equals(tenant)).mapToLong(Head::at).max().orElse(Long.MAX_VALUE);
        var beyond = own.tailMap(check.seq(), false).values().stream().filter(head -> head.at() <= made).findFirst();
        compared += own.headMap(check.seq(), true).size();
        return beyond.map(head -> failed(tenant, check.seq() + 1, "record " + (check.seq() + 1) + " is missing: a head kept elsewhere is of record " + head.seq() + ", and not later than this export")).orElse(null);
    }

    private Verdict failed(@Nullable String tenant, long first, String message) {
        return new Verdict(Verdict.Status.FAILED, records, tenant, first, message);
    }
}
