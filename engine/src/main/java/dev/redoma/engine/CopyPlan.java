// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.recipe.Instruction;
import dev.redoma.kernel.Names;
import dev.redoma.pool.TarIndex;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a `COPY` or `ADD` does, decided but for what only the disk can tell: whether a target that is not said to be a directory is one.
record CopyPlan(String target, boolean intoDirectory, List<Item> items, @Nullable String owner, @Nullable Integer mode) {
    private static final int MOST = 400_000;

    /// A file of the build under its name in the target (`""`: the target itself is its name).
    record Item(String name, TarIndex.Entry entry) {}

    static CopyPlan of(Instruction.Copy copy, BuildState state, @Nullable TarIndex files) {
        String keyword = copy.add() ? "ADD" : "COPY";
        if (files == null) {
            throw BuildState.refused(keyword + ": this build came without files");
        }
        var sources = new CopySources(files);
        var found = new ArrayList<CopySources.Found>();
        copy.sources().forEach(s -> found.addAll(sources.find(state.expand(s))));
        String written = state.expand(copy.target());
        boolean directory = written.endsWith("/") || written.endsWith("/.") || written.equals(".") || written.endsWith("/..") || written.equals("..");
        if (written.isEmpty() || written.indexOf('\0') >= 0) {
            throw BuildState.refused(keyword + ": the target is empty or holds a NUL");
        }
        if (found.size() > 1 && !directory) {
            throw BuildState.refused(keyword + ": several sources need a target that ends in '/'");
        }
        boolean tree = found.stream().anyMatch(f -> f.entry().kind() == TarIndex.Kind.DIRECTORY);
        var items = items(found, files);
        if (copy.add()) {
            items.forEach(i -> notPacked(i.entry(), found, files));
        }
        return new CopyPlan(BuildPaths.under(state.workdir(), written), directory || tree, items,
                copy.owner() == null ? null : Words.user(state.expand(copy.owner())), mode(copy.mode() == null ? null : state.expand(copy.mode()), keyword));
    }

    private static List<Item> items(List<CopySources.Found> found, TarIndex files) {
        var items = new ArrayList<Item>();
        for (var f : found) {
            if (f.entry().kind() == TarIndex.Kind.DIRECTORY) {
                int cut = f.entry().path().isEmpty() ? 0 : f.entry().path().length() + 1;
                files.below(f.entry().path()).forEach(e -> items.add(new Item(e.path().substring(cut), e)));
            } else {
                items.add(new Item(f.name(), f.entry()));
            }
            if (items.size() > MOST) {
                throw BuildState.refused("one step copies more than " + MOST + " files");
            }
        }
        return List.copyOf(items);
    }

    private static @Nullable Integer mode(@Nullable String text, String keyword) {
        if (text == null) {
            return null;
        }
        if (!text.matches("[0-7]{1,4}")) {
            throw BuildState.refused(keyword + ": the mode '" + RequestRules.shown(text) + "' is not 1 to 4 octal digits");
        }
        return Integer.parseInt(text, 8);
    }

    /// Docker would unpack an archive that is named itself; this is not done here, and silently leaving it packed would be worse.
    private static void notPacked(TarIndex.Entry entry, List<CopySources.Found> found, TarIndex files) {
        if (found.stream().anyMatch(f -> f.entry() == entry) && entry.kind() == TarIndex.Kind.FILE && packed(entry, files)) {
            throw BuildState.refused("ADD: '" + CopySources.shown(entry.path()) + "' is an archive, and ADD unpacks none here; COPY it and RUN tar, or COPY it packed");
        }
    }

    private static boolean packed(TarIndex.Entry entry, TarIndex files) {
        byte[] head;
        try (InputStream in = files.open(entry)) {
            head = in.readNBytes(262);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return begins(head, 0, 0x1f, 0x8b) || begins(head, 0, 'B', 'Z', 'h') || begins(head, 0, 0xfd, '7', 'z', 'X', 'Z') || begins(head, 0, 0x28, 0xb5, 0x2f, 0xfd)
                || begins(head, 257, 'u', 's', 't', 'a', 'r');
    }

    private static boolean begins(byte[] head, int at, int... magic) {
        boolean same = head.length >= at + magic.length;
        for (int i = 0; same && i < magic.length; i++) {
            same = (head[at + i] & 0xff) == magic[i];
        }
        return same;
    }

    /// For the key of the step: everything but times.
    List<Object> facts() {
        var facts = new ArrayList<Object>(Arrays.asList(target, intoDirectory, owner == null ? "" : owner, mode == null ? -1 : mode));
        for (Item i : items) {
            var e = i.entry();
            facts.add(List.of(exact(i.name()), e.kind().name(), e.mode(), e.digest(), exact(e.link())));
        }
        return facts;
    }

    /// Names that are no UTF-8 have no text of their own.
    private static String exact(String name) {
        return Names.valid(name) ? name : "\0" + HexFormat.of().formatHex(Names.encode(name));
    }
}
