// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import com.github.difflib.UnifiedDiffUtils;
import com.github.difflib.algorithm.DiffAlgorithmI;
import com.github.difflib.algorithm.myers.MyersDiff;
import com.github.difflib.algorithm.myers.MyersDiffWithLinearSpace;
import com.github.difflib.patch.Patch;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Names;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import dev.redoma.model.wire.Change;
import dev.redoma.model.wire.FilePatch;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Unified diffs of the text files of a change set. A file that is large, binary, or not what the change set says any more is told as that; what is read, compared and written together is bounded
/// in bytes, lines and time. One thread.
final class TextPatches {
    private static final int LARGEST = 512 << 10;
    private static final int LINES = 10_000;
    private static final int ALL = 2 << 20;
    private static final int CONTEXT = 3;
    /// Lines of both, up to which the algorithm is taken that needs the square of them, and puts what goes before what comes.
    private static final int FEW = 1000;
    private static final Duration TIME = Duration.ofSeconds(20);

    private final Lowers now;
    private final Lowers before;
    private final List<String> root;
    private final long deadline = System.nanoTime() + TIME.toNanos();
    private int left = ALL;

    private TextPatches(Lowers now, Lowers before, List<String> root) {
        this.now = now;
        this.before = before;
        this.root = root;
    }

    /// Of those entries whose content differs.
    static List<FilePatch> of(Compared views, List<Change> changes) {
        try (var now = views.now(); var before = views.before()) {
            var patches = new TextPatches(now, before, views.root());
            return changes.stream().filter(TextPatches::content).map(patches::patch).toList();
        }
    }

    private static boolean content(Change c) {
        boolean file = c.type().equals("file") || "file".equals(c.typeBefore());
        return file && !c.kind().equals("mode") && !c.kind().equals("truncated") && !Objects.equals(c.digestBefore(), c.digestAfter());
    }

    private FilePatch patch(Change c) {
        if (left <= 0 || System.nanoTime() > deadline) {
            return none(c, "bounds");
        }
        if (size(c.sizeBefore()) > LARGEST || size(c.sizeAfter()) > LARGEST) {
            return none(c, "large");
        }
        try {
            byte[] old = c.sizeBefore() == null ? new byte[0] : read(before, c.from() == null ? c.path() : c.from(), c.digestBefore());
            byte[] its = c.sizeAfter() == null ? new byte[0] : read(now, c.path(), c.digestAfter());
            if (old == null || its == null) {
                return none(c, "gone");
            }
            return told(c, text(old), text(its));
        } catch (KernelException gone) {
            return none(c, "gone");
        }
    }

    private FilePatch told(Change c, @Nullable String old, @Nullable String its) {
        if (old == null || its == null) {
            return none(c, "binary");
        }
        Map<String, String> known = new HashMap<>();
        var a = lines(old, known);
        var b = lines(its, known);
        if (a.size() > LINES || b.size() > LINES) {
            return none(c, "large");
        }
        // The same line is the same object: no comparison reads more than a reference.
        DiffAlgorithmI<String> algorithm = a.size() + b.size() <= FEW ? new MyersDiff<>((x, y) -> x == y) : new MyersDiffWithLinearSpace<>((x, y) -> x == y);
        var found = algorithm.computeDiff(a, b, null);
        var from = c.kind().equals("added") ? "/dev/null" : "a/" + plain(c.from() == null ? c.path() : c.from());
        var to = c.kind().equals("deleted") ? "/dev/null" : "b/" + plain(c.path());
        var patch = headed(c, String.join("\n", UnifiedDiffUtils.generateUnifiedDiff(from, to, a, Patch.generate(a, b, found), CONTEXT)) + "\n");
        if (patch.length() > left) {
            left = 0;
            return none(c, "bounds");
        }
        left -= patch.length();
        return new FilePatch(c.path(), c.kind(), patch, null);
    }

    /// Where there is nothing, no line is the first (the library counts from one).
    private static String headed(Change c, String patch) {
        return switch (c.kind()) {
            case "added" -> patch.replaceFirst("\n@@ -1,0 \\+", "\n@@ -0,0 +");
            case "deleted" -> patch.replaceFirst("\n@@ -([0-9,]+) \\+1,0 @@", "\n@@ -$1 +0,0 @@");
            default -> patch;
        };
    }

    private static FilePatch none(Change c, String why) {
        return new FilePatch(c.path(), c.kind(), null, why);
    }

    private static String plain(String path) {
        return path.startsWith("/") ? path.substring(1) : path;
    }

    private static long size(@Nullable Long size) {
        return size == null ? 0 : size;
    }

    /// Null where it is not what the change set says.
    private byte @Nullable [] read(Lowers view, String path, @Nullable String digest) {
        var parts = new ArrayList<>(root);
        Arrays.stream(Names.parse(path).split("/")).filter(p -> !p.isEmpty()).forEach(parts::add);
        var dir = view.at(parts.subList(0, parts.size() - 1));
        try {
            var found = dir.find(parts.getLast()).orElse(null);
            if (found == null || found.stat().type() != Stat.Type.FILE) {
                return null;
            }
            try (var file = found.dir().openAt(parts.getLast(), Open.RDONLY | Open.NONBLOCK, 0)) {
                if (file.stat().type() != Stat.Type.FILE) {
                    return null;
                }
                var bytes = file.readAll(LARGEST + 1);
                return ContentDigest.of(bytes).equals(digest) ? bytes : null;
            }
        } finally {
            if (dir != view) {
                dir.close();
            }
        }
    }

    private static @Nullable String text(byte[] bytes) {
        try {
            var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return text.indexOf('\0') < 0 ? text : null;
        } catch (CharacterCodingException binary) {
            return null;
        }
    }

    /// As a diff shows them; the last says where it has no end.
    private static List<String> lines(String text, Map<String, String> known) {
        if (text.isEmpty()) {
            return List.of();
        }
        var lines = new ArrayList<>(Arrays.asList(text.split("\n", -1)));
        var last = lines.removeLast();
        if (!last.isEmpty()) {
            lines.add(last + "\n\\ No newline at end of file");
        }
        lines.replaceAll(line -> known.computeIfAbsent(line, l -> l));
        return lines;
    }
}
