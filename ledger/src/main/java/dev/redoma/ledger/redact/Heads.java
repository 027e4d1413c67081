// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Builds the automaton: first a tree of the heads, then its tables.
final class Heads {
    private static final class Node {
        final Map<Integer, Node> children = new TreeMap<>();
        final int depth;
        Patterns.@Nullable Ending ending;
        boolean registered;
        @Nullable Node fail;
        int number;

        Node(int depth) {
            this.depth = depth;
        }
    }

    record Machine(int[] next, int[] classes, int width, byte[] held, Patterns.Ending[] endings) {}

    /// A line may break after any byte of a head, so no pair with a break in it says that none begins before it.
    private static final char[] LINE_BREAKS = {'\n', '\r'};

    private final Node root = new Node(0);
    private final byte[] shifts = new byte[1 << 16];
    private final List<byte[]> forms = new ArrayList<>();

    Heads() {
        Arrays.fill(shifts, (byte) (Patterns.WINDOW - 1));
    }

    void secret(Secret secret) {
        breaks();
        for (var form : Renderings.of(secret.bytes())) {
            byte[] all = form.bytes();
            forms.add(all);
            byte[] head = Arrays.copyOf(all, Math.min(all.length, Patterns.HEAD));
            add(head, new Mark(Mark.SECRET, secret.name(), form.name()), Arrays.copyOfRange(all, head.length, all.length), null);
        }
    }

    private void breaks() {
        for (char lineBreak : LINE_BREAKS) {
            for (int other = 0; other < 256; other++) {
                shifts[lineBreak << 8 | other] &= (byte) 0x80;
                shifts[other << 8 | lineBreak] &= (byte) 0x80;
            }
        }
    }

    /// A prefix that is shorter than the window goes in once with each character that may follow.
    void shape(Shape shape) {
        shape(shape, shape.prefix());
    }

    private void shape(Shape shape, String head) {
        if (head.length() < Patterns.WINDOW) {
            shape.run().stream().forEach(c -> shape(shape, head + (char) c));
        } else {
            add(head.getBytes(StandardCharsets.US_ASCII), new Mark(Mark.SHAPE, shape.name(), "token"), new byte[0], shape);
        }
    }

    private void add(byte[] head, Mark mark, byte[] rest, @Nullable Shape shape) {
        var node = root;
        for (int i = 0; i < head.length; i++) {
            int depth = i + 1;
            node = node.children.computeIfAbsent(head[i] & 0xff, c -> new Node(depth));
            node.registered |= shape == null;
        }
        node.ending = new Patterns.Ending(mark, head.length, rest, shape, node.ending);
        for (char lineBreak : LINE_BREAKS) {
            shifts[(head[0] & 0xff) << 8 | lineBreak] |= (byte) 0x80;
        }
        for (int end = 1; end < Patterns.WINDOW; end++) {
            int pair = (head[end - 1] & 0xff) << 8 | head[end] & 0xff;
            int move = Patterns.WINDOW - 1 - end;
            shifts[pair] = (byte) (shifts[pair] & 0x80 | Math.min(shifts[pair] & 0x7f, move) | (end == 1 ? 0x80 : 0));
        }
    }

    byte[] shifts() {
        return shifts;
    }

    @Nullable Words words() {
        return Words.of(forms);
    }

    Machine machine() {
        var nodes = inOrder();
        var classes = classes(nodes);
        int width = Arrays.stream(classes).max().orElse(0) + 1;
        var next = new int[nodes.size() * width];
        var held = new byte[nodes.size()];
        var endings = new Patterns.Ending[nodes.size()];
        Arrays.fill(endings, Patterns.Ending.NONE);
        for (var node : nodes) {
            int row = node.number * width;
            var fail = node.fail;
            if (fail != null) {
                System.arraycopy(next, fail.number * width, next, row, width);
                held[node.number] = node.registered ? (byte) node.depth : held[fail.number];
                endings[node.number] = joined(node.ending, endings[fail.number]);
            }
            node.children.forEach((c, child) -> next[row + classes[c]] = child.number * width);
        }
        flag(next, width, endings);
        return new Machine(next, classes, width, held, endings);
    }

    /// Where something ends, the state is negative: no other look is needed at most bytes.
    private static void flag(int[] next, int width, Patterns.Ending[] endings) {
        for (int i = 0; i < next.length; i++) {
            if (endings[next[i] / width] != Patterns.Ending.NONE) {
                next[i] |= Integer.MIN_VALUE;
            }
        }
    }

    private static Patterns.Ending joined(Patterns.@Nullable Ending own, Patterns.Ending shorter) {
        return own == null ? shorter : new Patterns.Ending(own.mark(), own.length(), own.rest(), own.shape(), joined(own.also(), shorter));
    }

    /// Breadth first, so that what a node falls back to is before it.
    private List<Node> inOrder() {
        var all = new ArrayList<Node>();
        var queue = new ArrayDeque<Node>(List.of(root));
        while (!queue.isEmpty()) {
            var node = queue.remove();
            node.number = all.size();
            all.add(node);
            node.children.forEach((c, child) -> {
                var fail = node.fail;
                while (fail != null && !fail.children.containsKey(c)) {
                    fail = fail.fail;
                }
                child.fail = fail == null ? root : fail.children.get(c);
                queue.add(child);
            });
        }
        return all;
    }

    /// Bytes that no head holds are all alike: 0.
    private static int[] classes(List<Node> nodes) {
        var classes = new int[256];
        var known = new HashMap<Integer, Integer>();
        nodes.forEach(n -> n.children.keySet().forEach(c -> known.computeIfAbsent(c, x -> known.size() + 1)));
        known.forEach((c, number) -> classes[c] = number);
        return classes;
    }
}
