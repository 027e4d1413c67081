// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import java.util.List;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/// A directory in the target, on the same file system, in which an apply lies while it is made: `new` holds what comes, `old` what went, `steps` what is to be done, `done` that nothing is any more. Whoever finds one without
/// `done` undoes it; with it, only removes it. Every file is durable before what relies on it.
final class Journal implements AutoCloseable {
    static final String NAME = ".redoma-apply";
    private static final int MOST = 64 << 20;
    private static final int NAMES = 1_000_000;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Tree target;
    private final Dir dir;
    private final Dir incoming;
    private final Dir old;

    private Journal(Tree target) {
        this.target = target;
        this.dir = target.root().dirAt(NAME);
        this.incoming = dir.dirAt("new");
        this.old = dir.dirAt("old");
    }

    static Journal make(Tree target) {
        var root = target.root();
        root.mkdir(NAME, 0700);
        try (var dir = root.dirAt(NAME)) {
            dir.mkdir("new", 0700);
            dir.mkdir("old", 0700);
            dir.fd().fsync();
        }
        root.fd().fsync();
        return new Journal(target);
    }

    /// One that is there.
    static Journal open(Tree target) {
        return new Journal(target);
    }

    /// Where what comes is put first.
    Dir incoming() {
        return incoming;
    }

    void write(List<Step> steps) {
        incoming.fd().fsync();
        file("steps", JSON.writeValueAsBytes(steps));
    }

    private void file(String name, byte[] content) {
        try (var file = dir.openAt(name + ".half", Open.WRONLY | Open.CREAT | Open.EXCL, 0600)) {
            file.write(content);
            file.fsync();
        }
        dir.rename(name + ".half", dir, name);
        dir.fd().fsync();
    }

    void redo(Step s) {
        target.in(s.path(), p -> {
            switch (s.kind()) {
                case Step.REMOVE -> p.dir().rename(p.name(), old, String.valueOf(s.at()));
                case Step.PUT -> incoming.rename(String.valueOf(s.at()), p.dir(), p.name());
                case Step.RMDIR -> p.dir().rmdir(p.name());
                case Step.MKDIR -> {
                    p.dir().mkdir(p.name(), 0700);
                    p.dir().chmod(p.name(), mode(s.mode()));
                }
                case Step.CHMOD -> p.dir().chmod(p.name(), mode(s.mode()));
                default -> throw new IllegalStateException(s.kind());
            }
            return p;
        });
    }

    void done() {
        file("done", new byte[0]);
    }

    private void undo(Step s) {
        try {
            target.in(s.path(), p -> {
                switch (s.kind()) {
                    case Step.REMOVE -> {
                        if (old.has(String.valueOf(s.at()))) {
                            old.rename(String.valueOf(s.at()), p.dir(), p.name());
                        }
                    }
                    case Step.PUT -> {
                        if (!incoming.has(String.valueOf(s.at())) && p.dir().has(p.name())) {
                            p.dir().rename(p.name(), incoming, String.valueOf(s.at()));
                        }
                    }
                    case Step.RMDIR -> {
                        if (!p.dir().has(p.name())) {
                            p.dir().mkdir(p.name(), 0700);
                            p.dir().chmod(p.name(), mode(s.mode()));
                        }
                    }
                    case Step.MKDIR -> {
                        if (p.dir().find(p.name()).filter(f -> f.type() == Stat.Type.DIRECTORY).isPresent()) {
                            p.dir().rmdir(p.name());
                        }
                    }
                    case Step.CHMOD -> {
                        if (s.before() != null) {
                            p.dir().chmod(p.name(), mode(s.before()));
                        }
                    }
                    default -> throw new IllegalStateException(s.kind());
                }
                return p;
            });
        } catch (KernelException e) {
            // What it would be undone in was not made yet, so neither was it; and what somebody else put into a directory of ours stays.
            if (!e.is(Errno.ENOENT, Errno.ENOTDIR, Errno.ELOOP, Errno.ENOTEMPTY)) {
                throw e;
            }
        }
    }

    private static int mode(@org.jspecify.annotations.Nullable String octal) {
        return Integer.parseInt(String.valueOf(octal), 8);
    }

    /// Brings the target back to how it was before, or finds that all was done. Can be repeated from its beginning.
    static boolean settle(Tree target) {
        if (target.root().find(NAME).isEmpty()) {
            return false;
        }
        boolean undone;
        try (var dir = target.root().dirAt(NAME)) {
            undone = !dir.has("done") && dir.has("steps");
        }
        if (undone) {
            try (var journal = new Journal(target)) {
                journal.back();
                journal.done();
            }
        }
        remove(target.root(), NAME);
        return undone;
    }

    void back() {
        List<Step> steps;
        try (var file = dir.openAt("steps", Open.RDONLY, 0)) {
            steps = JSON.readValue(file.readAll(MOST), new TypeReference<>() {});
        }
        steps.reversed().forEach(this::undo);
        if (!old.list(NAMES).isEmpty()) {
            throw new NotApplied("an apply that was ended in the middle cannot be undone, for the folder was changed since: what it took away lies in '" + NAME + "/old' there, by the names in '" + NAME + "/steps'");
        }
    }

    /// With all that is in it; a directory of ours, so nothing else has its name.
    static void remove(Dir parent, String name) {
        var stat = parent.find(name);
        if (stat.isPresent() && stat.get().type() == Stat.Type.DIRECTORY) {
            try (var dir = parent.dirAt(name)) {
                // The word that all was done goes last of the files, or a half-removed one would be undone.
                dir.list(NAMES).stream().sorted((a, b) -> Boolean.compare(a.equals("done"), b.equals("done"))).forEach(n -> remove(dir, n));
            }
            parent.rmdir(name);
        } else if (stat.isPresent()) {
            parent.unlink(name);
        }
    }


    @Override
    public void close() {
        old.close();
        incoming.close();
        dir.close();
    }
}
