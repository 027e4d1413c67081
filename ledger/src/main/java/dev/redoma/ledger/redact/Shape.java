// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

import java.util.BitSet;

/// How the tokens of somebody look: a prefix, which is public and stays, then a run of characters, which is masked. `least`: shorter runs are
/// something else. `word`: not in the middle of a word.
record Shape(String name, String prefix, boolean word, BitSet run, int least, Grammar grammar) {

    /// `RUN`: only the run; `JWT`: a header, a dot, and a body that begins as an object does; `PEM`: the rest of a title, then lines of Base64.
    enum Grammar {
        RUN, JWT, PEM
    }

    static BitSet set(String description) {
        var set = new BitSet(256);
        for (int i = 0; i < description.length(); i++) {
            if (i + 2 < description.length() && description.charAt(i + 1) == '-') {
                set.set(description.charAt(i), description.charAt(i + 2) + 1);
                i += 2;
            } else {
                set.set(description.charAt(i));
            }
        }
        return set;
    }
}
