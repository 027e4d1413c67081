// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What is looked for, made ready: an automaton (Aho and Corasick's) over the first bytes of each pattern, and what must follow them. Before it,
/// a table over pairs of bytes by which most of a text is passed over. Immutable; shared by all streams of a sandbox.
public final class Patterns {
    /// Bytes of a pattern in the automaton; the rest is compared one by one, so that long ones cost no tables.
    static final int HEAD = 16;
    /// Every head has at least so many.
    static final int WINDOW = 4;
    /// With more secrets there is something like the beginning of one in most words, and to look for their ends costs more than it spares.
    private static final int FEW = 16;

    private static final Patterns SHAPES = new Patterns(List.of(), true);
    private static final Patterns NOTHING = new Patterns(List.of(), false);

    /// How a state is left: `next[state + class of the byte]` is the next state, itself premultiplied; negative where something ends.
    final int[] next;
    final int[] classes;
    final int width;
    /// How many of the last bytes may yet become a registered secret.
    final byte[] held;
    final Ending[] endings;
    /// For each pair of bytes how far a window that ends with it may move on (low bits), and whether some head begins with it (bit 7).
    final byte[] shifts;
    final @Nullable Words words;
    private final int secrets;

    /// A head that ends in some state. `rest`: what must follow (registered); `shape`: what may.
    record Ending(Mark mark, int length, byte[] rest, @Nullable Shape shape, @Nullable Ending also) {
        static final Ending NONE = new Ending(new Mark("", "", ""), 0, new byte[0], null, null);
    }

    private Patterns(Collection<Secret> secrets, boolean shapes) {
        var heads = new Heads();
        secrets.forEach(heads::secret);
        if (shapes) {
            Shapes.ALL.forEach(heads::shape);
        }
        this.secrets = secrets.size();
        this.shifts = heads.shifts();
        this.words = secrets.size() <= FEW ? heads.words() : null;
        var machine = heads.machine();
        this.next = machine.next();
        this.classes = machine.classes();
        this.width = machine.width();
        this.held = machine.held();
        this.endings = machine.endings();
    }

    public static Patterns of(Collection<Secret> secrets, boolean shapes) {
        return !secrets.isEmpty() ? new Patterns(secrets, shapes) : shapes ? SHAPES : NOTHING;
    }

    /// The shapes alone.
    public static Patterns shapes() {
        return SHAPES;
    }

    public boolean empty() {
        return endings.length <= 1;
    }

    /// Registered secrets among them.
    public int secrets() {
        return secrets;
    }

    /// The whole text, masked; the same object where nothing was found. What was found is added to the counts of `hits`.
    public String mask(String text, Hits hits) {
        if (empty() || text.length() < Secret.LEAST) {
            return text;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        var matcher = new Matcher(this);
        var found = new Hits();
        matcher.feed(bytes, 0, bytes.length, found);
        hits.add(found);
        var ranges = found.take();
        if (ranges.isEmpty()) {
            return text;
        }
        ranges.forEach(r -> cover(bytes, (int) r.from(), (int) r.to()));
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /// Line breaks stay, so that a text keeps its lines and its length.
    public static void cover(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] != '\n' && bytes[i] != '\r') {
                bytes[i] = '*';
            }
        }
    }

    /// The first position from `from` on at which some head may begin, by pairs of bytes; with fewer than a window left, where that is.
    int pairs(byte[] bytes, int from, int to) {
        boolean broken = secrets > 0; // shapes are not looked for over the ends of lines
        int at = from;
        int last = to - WINDOW;
        while (at <= last) {
            int second = bytes[at + 1];
            int move = broken && second <= '\r' && Tail.lineBreak(second) ? 0 : shifts[(bytes[at + 2] & 0xff) << 8 | bytes[at + 3] & 0xff] & 0x7f;
            if (move == 0) {
                if (shifts[(bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff] < 0) {
                    return at;
                }
                move = 1;
            }
            at += move;
        }
        return at;
    }

    @Override
    public String toString() {
        return "Patterns[" + secrets + " secrets, " + Arrays.stream(endings).filter(e -> e != Ending.NONE).count() + " heads]";
    }
}
