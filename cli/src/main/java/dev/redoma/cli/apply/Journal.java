// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Stat;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;

/// One apply while it is made. Its record lies in the user's own `Journals`, and is all that is believed: `head` says of which folder, and the inode of the directory in it (on the same file system, for what
/// moves is renamed) in which `new` holds what comes and `old` what went, `steps` the same and what is to be done, `done` that nothing is any more. One that was killed without `done` is undone; with it, only removed. Every file is
/// durable before what relies on it.
final class Journal implements AutoCloseable {
    /// How the directory in the target begins; the record's name follows, which nobody can guess.
    static final String NAME = ".redoma-apply";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Journals journals;
    private final String id;
    private final JournalRecord record;
    private final Head head;
    private final Tree target;
    private final Dir incoming;
    private final Dir old;

    /// Of a record that this process has locked, and a directory that is the one that it tells.
    Journal(Journals journals, String id, JournalRecord record, Head head, Tree target) {
        this.journals = journals;
        this.id = id;
        this.record = record;
        this.head = head;
        this.target = target;
        try (var staging = target.root().dirAt(staging(id))) {
            this.incoming = staging.dirAt("new");
            this.old = staging.dirAt("old");
        }
    }

    static String staging(String id) {
        return NAME + "-" + id;
    }

    static Journal make(Journals journals, Tree target, Path where) {
        var id = new byte[16];
        RANDOM.nextBytes(id);
        var name = HexFormat.of().formatHex(id);
        var record = JournalRecord.make(journals, name);
        var root = target.root();
        try {
            record.begin(Head.of(where, root.fd().stat(), null));
            journals.dir().fd().fsync();
            root.mkdir(staging(name), 0700);
            try (var dir = root.dirAt(staging(name))) {
                dir.mkdir("new", 0700);
                dir.mkdir("old", 0700);
                dir.fd().fsync();
                var head = Head.of(where, root.fd().stat(), dir.fd().stat().inode());
                record.begin(head);
                root.fd().fsync();
                return new Journal(journals, name, record, head, target);
            }
        } catch (KernelException e) {
            unstage(root, name);
            record.close();
            JournalRecord.remove(journals, name);
            throw new NotApplied("the target does not take it: " + e.getMessage());
        }
    }

    /// What was made before it was on record which directory it is: nothing is in it yet.
    static void unstage(Dir root, String id) {
        try (var dir = root.dirAt(staging(id))) {
            for (var name : List.of("new", "old")) {
                if (dir.has(name)) {
                    dir.rmdir(name);
                }
            }
            root.rmdir(staging(id));
        } catch (KernelException e) {
            if (!e.is(Errno.ENOENT, Errno.ENOTDIR, Errno.ELOOP, Errno.ENOTEMPTY)) {
                throw e;
            }
        }
    }

    /// Where what comes is put first.
    Dir incoming() {
        return incoming;
    }

    void write(List<Step> steps) {
        incoming.fd().fsync();
        record.write(head, steps);
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
        record.done();
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

    /// Brings the target back to how it was before, unless all was done. Can be repeated from its beginning. False where nothing had been moved.
    boolean undo() {
        if (record.has("done") || !record.has("steps")) {
            return false;
        }
        back();
        done();
        return true;
    }

    void back() {
        record.steps().reversed().forEach(this::undo);
        if (!old.list(JournalRecord.NAMES).isEmpty()) {
            throw new NotApplied("an apply that was ended in the middle cannot be undone, for the folder was changed since: what it took away lies in '" + staging(id) + "/old' there, by the names in '"
                    + journals.place().resolve(id).resolve("steps") + "'");
        }
    }

    /// What moved first, then its record.
    void remove() {
        JournalRecord.delete(target.root(), staging(id));
        JournalRecord.remove(journals, id);
    }

    @Override
    public void close() {
        old.close();
        incoming.close();
        record.close();
    }
}
