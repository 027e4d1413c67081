// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import dev.redoma.kernel.Stat;
import dev.redoma.model.wire.Change;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// The steps that bring a target from how it is to how the changes want it: what goes (the deepest first), directories that come, files and links that come, modes. Each entry of the target that is touched is looked
/// at: it is as it was at the start, or already as it is to be, or the plan says that it differs.
final class Plan {
    private static final int MOST_NAMED = 20;

    private final Tree target;
    private final Reserved reserved;
    private final List<Step> removals = new ArrayList<>();
    private final List<Step> directories = new ArrayList<>();
    private final List<Step> puts = new ArrayList<>();
    private final List<Step> modes = new ArrayList<>();
    private final Map<String, Change> comes = new LinkedHashMap<>();
    private final List<String> differing = new ArrayList<>();
    private final Map<String, Optional<Stat>> seen = new TreeMap<>();
    /// What goes and is no directory.
    private final Set<String> replaced = new HashSet<>();
    private int next;

    Plan(Tree target, Reserved reserved, List<Change> changes, boolean over) {
        this.target = target;
        this.reserved = reserved;
        for (var c : changes) {
            if (c.from() != null) {
                goes(c.from(), new Change(c.from(), "deleted", "file", null, null, c.sizeBefore(), null, c.modeBefore(), null, c.digestBefore(), null, null, List.of()));
            }
            one(c);
        }
        if (!over && !differing.isEmpty()) {
            throw new NotApplied("the target is not as the workspace was at its start (nothing was changed): " + String.join(", ", differing.stream().limit(MOST_NAMED).toList())
                    + (differing.size() > MOST_NAMED ? " and " + (differing.size() - MOST_NAMED) + " more" : ""), differing);
        }
        removals.sort(Comparator.comparing((Step s) -> depth(s.path())).reversed().thenComparing(Step::path));
        directories.sort(Comparator.comparing((Step s) -> depth(s.path())).thenComparing(Step::path));
        modes.sort(Comparator.comparing((Step s) -> depth(s.path())).reversed().thenComparing(Step::path));
    }

    private void one(Change c) {
        switch (c.kind()) {
            case "deleted" -> goes(c.path(), c);
            case "mode" -> mode(c);
            case "added", "changed", "renamed" -> comes(c);
            default -> throw new NotApplied("what a bound cut cannot be applied: '" + c.path() + "'");
        }
    }

    private Optional<Stat> look(String path) {
        reserved.check(path);
        for (int at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
            if (replaced.contains(path.substring(0, at))) {
                return Optional.empty(); // what is there now is no directory, and goes
            }
        }
        return seen.computeIfAbsent(path, target::find);
    }

    private void goes(String path, Change c) {
        var there = look(path);
        if (there.isEmpty()) {
            return; // gone already
        }
        if (!Applying.same(target, path, there.get(), c, false)) {
            differing.add(path);
        }
        remove(path, there.get());
    }

    private void remove(String path, Stat there) {
        if (there.type() == Stat.Type.DIRECTORY) {
            removals.add(new Step(Step.RMDIR, path, null, null, octal(there.mode())));
        } else {
            replaced.add(path);
            removals.add(new Step(Step.REMOVE, path, String.valueOf(next++), null, null));
        }
    }

    private void comes(Change c) {
        var there = look(c.path());
        boolean expected = c.kind().equals("changed");
        if (there.isPresent() && Applying.same(target, c.path(), there.get(), c, true)) {
            return; // as it is to be
        }
        if (there.isPresent() != expected || there.isPresent() && !Applying.same(target, c.path(), there.get(), c, false)) {
            differing.add(c.path());
        }
        boolean directory = c.type().equals("directory");
        if (there.isPresent() && directory && there.get().type() == Stat.Type.DIRECTORY) {
            modes.add(new Step(Step.CHMOD, c.path(), null, octal(there.get().mode()), c.modeAfter()));
            return;
        }
        there.ifPresent(stat -> remove(c.path(), stat));
        if (directory) {
            // Whoever may not write into a directory that is to come could put nothing into it: the mode is set last.
            directories.add(new Step(Step.MKDIR, c.path(), null, null, "0700"));
            modes.add(new Step(Step.CHMOD, c.path(), null, null, c.modeAfter()));
        } else if (c.type().equals("file") || c.type().equals("symlink")) {
            var at = String.valueOf(next++);
            comes.put(at, c);
            puts.add(new Step(Step.PUT, c.path(), at, null, null));
        } else {
            throw new NotApplied("'" + c.path() + "' is a " + c.type() + ", which is not applied", List.of(c.path()));
        }
    }

    private void mode(Change c) {
        var there = look(c.path());
        if (there.isEmpty() || !there.get().type().name().equalsIgnoreCase(c.type()) || c.type().equals("symlink")) {
            differing.add(c.path());
            return;
        }
        if (!Applying.same(target, c.path(), there.get(), c, false) && !Applying.same(target, c.path(), there.get(), c, true)) {
            differing.add(c.path());
        }
        modes.add(new Step(Step.CHMOD, c.path(), null, octal(there.get().mode()), c.modeAfter()));
    }

    private static String octal(int mode) {
        return "%04o".formatted(mode);
    }

    private static int depth(String path) {
        return (int) path.chars().filter(ch -> ch == '/').count();
    }

    /// By the name under which it is put beside.
    Map<String, Change> comes() {
        return comes;
    }

    List<String> differing() {
        return differing;
    }

    List<Step> steps() {
        var all = new ArrayList<Step>();
        all.addAll(removals);
        all.addAll(directories);
        all.addAll(puts);
        all.addAll(modes);
        return all;
    }

    /// After the contents have come, which takes time: nothing that was looked at is another now.
    void again() {
        seen.forEach((path, before) -> {
            var now = target.find(path);
            boolean same = before.isPresent() == now.isPresent() && before.map(b -> b.inode() == now.get().inode() && b.changed().equals(now.get().changed())).orElse(true);
            if (!same) {
                throw new NotApplied("'" + path + "' in the target changed meanwhile", List.of(path));
            }
        });
    }
}
