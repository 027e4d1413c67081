// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.recipe.Instruction;
import dev.redoma.kernel.Names;
import dev.redoma.pool.TarIndex;
import dev.redoma.pool.TarProbe;
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

    /// A file of the build under its name in the target (`""`: the target itself is its name). `unpack`: it is an archive whose members go
    /// there instead of it.
    record Item(String name, TarIndex.Entry entry, boolean unpack) {
        Item(String name, TarIndex.Entry entry) {
            this(name, entry, false);
        }
    }

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
        var items = items(found, files, copy.add());
        boolean unpacks = items.stream().anyMatch(Item::unpack);
        if (unpacks && (copy.owner() != null || copy.mode() != null)) {
            throw BuildState.refused("ADD: --chown and --chmod are not taken for archives, whose members keep owners and modes");
        }
        return new CopyPlan(BuildPaths.under(state.workdir(), written), directory || tree || unpacks, items,
                copy.owner() == null ? null : Words.user(state.expand(copy.owner())), mode(copy.mode() == null ? null : state.expand(copy.mode()), keyword));
    }

    private static List<Item> items(List<CopySources.Found> found, TarIndex files, boolean add) {
        var items = new ArrayList<Item>();
        for (var f : found) {
            if (f.entry().kind() == TarIndex.Kind.DIRECTORY) {
                int cut = f.entry().path().isEmpty() ? 0 : f.entry().path().length() + 1;
                files.below(f.entry().path()).forEach(e -> items.add(new Item(e.path().substring(cut), e)));
            } else {
                items.add(new Item(f.name(), f.entry(), add && isArchive(f.entry(), files)));
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

    /// As Docker has it, only what is named itself is looked at, and told by its content.
    private static boolean isArchive(TarIndex.Entry entry, TarIndex files) {
        if (entry.kind() != TarIndex.Kind.FILE) {
            return false;
        }
        String shown = CopySources.shown(entry.path());
        try (InputStream in = files.open(entry)) {
            return switch (TarProbe.of(in)) {
                case TAR -> true;
                case OTHER -> false;
                case PACKED -> throw BuildState.refused("ADD: '" + shown + "' is packed by bzip2 or xz, which is not unpacked here; pack it by gzip or zstd, or COPY it");
            };
        } catch (IOException e) {
            throw BuildState.refused("ADD: '" + shown + "' begins as an archive and cannot be read (" + RequestRules.shown(String.valueOf(e.getMessage())) + "); COPY takes it as it is");
        }
    }

    /// For the key of the step: everything but times.
    List<Object> facts() {
        var facts = new ArrayList<Object>(Arrays.asList(target, intoDirectory, owner == null ? "" : owner, mode == null ? -1 : mode));
        for (Item i : items) {
            var e = i.entry();
            facts.add(List.of(exact(i.name()), i.unpack() ? "UNPACKED" : e.kind().name(), e.mode(), e.digest(), exact(e.link())));
        }
        return facts;
    }

    /// Names that are no UTF-8 have no text of their own.
    private static String exact(String name) {
        return Names.valid(name) ? name : "\0" + HexFormat.of().formatHex(Names.encode(name));
    }
}
