// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Stat;
import dev.redoma.model.wire.Change;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// Puts changes into a directory. All is looked at first, then what comes is put beside (and found to be what its digests say), then the steps are written down, and only then is anything moved; what fails on the
/// way is undone, and what a killed process left is undone by the next one of the same user. Nothing that lies in the directory is believed of that: see `Journals`. Not thread-safe.
public final class Applying implements Target {
    /// What of a mode tells a file from another: rights of group and others are often the umask of whoever copied it.
    private static final int OWNERS = 0700;

    private final Tree target;
    private final Path where;
    private final Journals journals;
    private final Reserved reserved;
    private final Runnable afterStep;
    private boolean settled;

    private Applying(Tree target, Path where, Journals journals, Runnable afterStep) throws IOException {
        this.target = target;
        this.where = where;
        this.journals = journals;
        this.reserved = Reserved.of(where, journals.place());
        this.afterStep = afterStep;
    }

    /// Opens the target; nobody else applies anything to it until this is closed. Nothing in it is touched.
    public static Applying to(Path directory) throws IOException {
        return to(directory, Journals.standard(), () -> {});
    }

    /// `state`: the folder of journals. `afterStep`: for tests that end a process there.
    static Applying to(Path directory, Path state, Runnable afterStep) throws IOException {
        var where = directory.toRealPath();
        var journals = Journals.open(state);
        try {
            var tree = new Tree(Dir.open(where));
            try {
                if (!tree.root().fd().tryLock()) {
                    throw new NotApplied("another apply to '" + directory + "' is going on");
                }
                return new Applying(tree, where, journals, afterStep);
            } catch (RuntimeException | IOException e) {
                tree.close();
                throw e;
            }
        } catch (RuntimeException | IOException e) {
            journals.close();
            throw e;
        }
    }

    /// Undoes what an earlier one left in the middle; whether there was any such. Done before anything is applied, if not asked for by itself.
    public boolean settle() {
        if (settled) {
            return false;
        }
        boolean undone = Settling.of(journals, target, where);
        settled = true;
        return undone;
    }

    /// Something in the folder has the name that earlier versions gave their journal: it is never taken for one.
    public boolean foreignJournal() {
        return target.root().has(Journal.NAME);
    }

    @Override
    public void apply(List<Change> changes, boolean over, Contents contents, Origin origin) throws IOException {
        apply(changes, over, contents);
    }

    void apply(List<Change> changes, boolean over, Contents contents) throws IOException {
        settle();
        var plan = new Plan(target, reserved, changes, over);
        if (plan.steps().isEmpty()) {
            return;
        }
        try (var journal = Journal.make(journals, target, where)) {
            try {
                steps(journal, plan, contents);
            } catch (KernelException e) {
                undo(journal);
                throw new NotApplied("the target does not take it: " + e.getMessage());
            } catch (RuntimeException | IOException e) {
                undo(journal);
                throw e;
            }
            journal.remove();
        }
    }

    private void steps(Journal journal, Plan plan, Contents contents) throws IOException {
        var incoming = new IncomingFiles(journal.incoming(), plan.comes());
        contents.fetch(plan.comes().values().stream().filter(c -> c.type().equals("file")).toList(), incoming);
        incoming.whole();
        plan.again();
        journal.write(plan.steps());
        for (var step : plan.steps()) {
            journal.redo(step);
            afterStep.run();
        }
        durable(plan);
        journal.done();
    }

    private static void undo(Journal journal) {
        journal.undo();
        journal.remove();
    }

    /// Directories that were changed keep their entries over a loss of power.
    private void durable(Plan plan) {
        plan.steps().stream().map(Step::path).map(p -> p.contains("/") ? p.substring(0, p.lastIndexOf('/')) : "").distinct().forEach(parent -> {
            if (parent.isEmpty()) {
                target.root().fd().fsync();
            } else if (directory(parent)) {
                target.in(parent, p -> {
                    try (var dir = p.dir().dirAt(p.name())) {
                        dir.fd().fsync();
                    }
                    return p;
                });
            }
        });
    }

    /// It may have been replaced, or lie in what was.
    private boolean directory(String path) {
        try {
            return target.find(path).filter(s -> s.type() == Stat.Type.DIRECTORY).isPresent();
        } catch (NotApplied replaced) {
            return false;
        }
    }

    @Override
    public List<String> differing(List<Change> changes) {
        settle();
        return new ArrayList<>(new Plan(target, reserved, changes, true).differing());
    }

    static boolean same(Tree tree, String path, Stat stat, Change c, boolean after) {
        var type = after || c.typeBefore() == null ? c.type() : c.typeBefore();
        var mode = after ? c.modeAfter() : c.modeBefore();
        var digest = after ? c.digestAfter() : c.digestBefore();
        return stat.type().name().equalsIgnoreCase(type) && (mode == null || (stat.mode() & OWNERS) == (Integer.parseInt(mode, 8) & OWNERS)) && Objects.equals(tree.digest(path, stat), digest);
    }

    @Override
    public void close() {
        target.close();
        journals.close();
    }
}
