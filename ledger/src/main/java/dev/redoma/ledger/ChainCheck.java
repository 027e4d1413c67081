// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Walks one chain, record by record, against the heads known for it. Not thread-safe.
final class ChainCheck {
    private final String tenant;
    private final NavigableMap<Long, Head> heads;
    private long seq;
    private String hash = Digests.NOTHING_BEFORE;
    private long anchored; // the last record that a signed head vouches for
    private final Missing missing = new Missing();
    private @Nullable Failure failure;
    private long gaps;

    /// The first bad record of a chain.
    record Failure(String tenant, long record, String message) {}

    ChainCheck(String tenant, NavigableMap<Long, Head> heads) {
        this.tenant = tenant;
        this.heads = heads;
    }

    /// False for a head that the key did not sign. Each is checked, on all processors: a chain that grows gets one every few seconds.
    boolean signatures(String publicKey) {
        return heads.values().parallelStream().filter(head -> !head.signedBy(publicKey)).map(Head::seq).max(Long::compare)
                .map(seq -> fail(seq, "the head at record " + seq + " is not signed by the key " + publicKey)).orElse(true);
    }

    /// Takes the next record in order: its body as read and as text, its recorded hash, and its ciphertext. False when it is bad.
    boolean next(Map<String, Object> body, String text, String recorded, byte @Nullable [] sealed) {
        long expected = seq + 1;
        if (!tenant.equals(body.get("tenant")) || !(body.get("seq") instanceof Long here)) {
            return fail(expected, "record " + expected + " is not a record of this chain");
        }
        if (here != expected) {
            return fail(Math.min(here, expected), here > expected
                    ? "record " + expected + " is missing (found " + here + ")" : "record " + here + " is there twice or out of order");
        }
        if (!Digests.hex(Digests.sha256(text)).equals(recorded)) {
            return fail(here, "record " + here + " was changed: its hash does not fit");
        }
        if (sealed == null && body.get("sealed") != null) {
            missing.of(body.get("category"), here);
        } else if (!Objects.equals(body.get("sealed"), sealed == null ? null : Digests.hex(Digests.sha256(sealed)))) {
            return fail(here, "the sealed fields of record " + here + " were changed");
        }
        if (!hash.equals(body.get("prev"))) {
            return seq > anchored
                    ? fail(seq, "record " + seq + " was changed: record " + here + " does not continue from it")
                    : fail(here, "record " + here + " does not continue from the one before");
        }
        seq = here;
        hash = recorded;
        missing.look(body, here);
        gaps += "gap".equals(body.get("action")) && "sandbox".equals(body.get("category")) ? 1 : 0;
        return headHere();
    }

    private boolean headHere() {
        var head = heads.get(seq);
        if (head != null && !head.hash().equals(hash)) {
            return fail(anchored + 1, "the records from " + (anchored + 1) + " to " + seq + " do not lead to the signed head at " + seq);
        }
        anchored = head != null ? seq : anchored;
        return true;
    }

    /// What is sealed may be missing only where a record says that it was removed. To be called after the last record.
    boolean nothingMissing() {
        long first = missing.first();
        return first == 0 || fail(first, "the sealed fields of record " + first + " are missing, and no record says that they were removed");
    }

    /// To be called after the last record. False when a signed head lies beyond it.
    boolean end() {
        return nothingMissing() && (heads.isEmpty() || heads.lastKey() <= seq
                || fail(seq + 1, "record " + (seq + 1) + " is missing: the chain was signed up to record " + heads.lastKey()));
    }

    boolean fail(long record, String message) {
        failure = new Failure(tenant, record, message);
        return false;
    }

    @Nullable Failure failure() {
        return failure;
    }

    /// What a message adds where sound records tell that others are lacking.
    static String told(long gaps) {
        return gaps == 0 ? "" : "; of " + gaps + (gaps == 1 ? " sandbox" : " sandboxes") + " they tell at its end that not all of it is on record (category sandbox, action gap)";
    }

    long gaps() {
        return gaps;
    }

    long seq() {
        return seq;
    }

    String hash() {
        return hash;
    }
}
