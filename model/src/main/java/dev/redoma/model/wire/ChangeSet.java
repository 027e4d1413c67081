// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What differs below `root`: with `scope` `template` from the version that the sandbox was made of (paths from the root), with `workspace` from how the workspace was at its start (paths below it).
/// `digest` binds all of `items` and can be computed from them; `complete`: no bound cut anything. `flags`: why each flag that occurs is one. `at`: when it was read; `ended`: it is the last one.
public record ChangeSet(
        String sandbox,
        String scope,
        String root,
        String digest,
        boolean complete,
        boolean ended,
        Instant at,
        Map<String, Integer> counts,
        Map<String, String> flags,
        List<Change> items) {
    public static final String TEMPLATE = "template";
    public static final String WORKSPACE = "workspace";

    /// All that there are.
    public static final List<String> FLAGS = List.of("agent-instructions", "apply-journal", "build-script", "ci", "deceptive-name", "editor-task", "git-config", "git-hook", "link-leaves-tree", "set-uid", "shell-start", "special-file");

    public static ChangeSet of(String sandbox, String scope, String root, boolean ended, Instant at, Map<String, String> reasons, List<Change> items) {
        var counts = items.stream().collect(Collectors.groupingBy(Change::kind, TreeMap::new, Collectors.summingInt(c -> 1)));
        var flags = new TreeMap<String, String>();
        items.stream().flatMap(c -> c.flags().stream()).distinct().forEach(f -> flags.put(f, reasons.getOrDefault(f, f)));
        return new ChangeSet(sandbox, scope, root, digest(scope, root, items), items.stream().allMatch(Change::whole), ended, at, counts, flags, items);
    }

    /// How many entries carry a flag.
    public long flagged() {
        return items.stream().filter(c -> !c.flags().isEmpty()).count();
    }

    /// SHA-256 over scope, root and every field of every item that says what is there, each with its length before it, so that no two sets read the same.
    public static String digest(String scope, String root, List<Change> items) {
        var hash = sha256();
        var out = new ByteArrayOutputStream(1024);
        Stream.of("redoma-changes-1", scope, root).forEach(f -> field(out, f));
        for (var c : items) {
            field(out, c.path());
            field(out, c.kind());
            field(out, c.type());
            field(out, c.typeBefore());
            field(out, c.from());
            field(out, text(c.sizeBefore()));
            field(out, text(c.sizeAfter()));
            field(out, c.modeBefore());
            field(out, c.modeAfter());
            field(out, c.digestBefore());
            field(out, c.digestAfter());
            field(out, c.target());
            field(out, String.join(",", c.flags()));
            hash.update(out.toByteArray());
            out.reset();
        }
        hash.update(out.toByteArray());
        return "sha256:" + HexFormat.of().formatHex(hash.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static @Nullable String text(@Nullable Long size) {
        return size == null ? null : size.toString();
    }

    private static void field(ByteArrayOutputStream out, @Nullable String value) {
        if (value == null) {
            out.write('-');
            return;
        }
        var bytes = value.getBytes(StandardCharsets.UTF_8);
        out.writeBytes(Integer.toString(bytes.length).getBytes(StandardCharsets.US_ASCII));
        out.write(':');
        out.writeBytes(bytes);
    }
}
