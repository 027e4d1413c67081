// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/// A journal's files in the user's own folder; locked while it is open, so that nobody takes one for left behind that is in use.
final class JournalRecord implements AutoCloseable {
    static final int NAMES = 1_000_000;
    private static final int MOST = 64 << 20;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Dir dir;

    /// The file `steps`.
    private record Moves(Head head, List<Step> steps) {}

    private JournalRecord(Dir dir) {
        this.dir = dir;
    }

    static JournalRecord make(Journals journals, String id) {
        journals.dir().mkdir(id, 0700);
        return open(journals, id).orElseThrow(() -> new IllegalStateException("locked as it was made"));
    }

    /// Empty where it went meanwhile, or is in use.
    static Optional<JournalRecord> open(Journals journals, String id) {
        Dir dir;
        try {
            dir = journals.dir().dirAt(id);
        } catch (KernelException e) {
            if (e.is(Errno.ENOENT)) {
                return Optional.empty();
            }
            throw e;
        }
        try {
            journals.own(dir.fd().stat(), journals.place().resolve(id));
            if (dir.fd().tryLock()) {
                return Optional.of(new JournalRecord(dir));
            }
            dir.close();
            return Optional.empty();
        } catch (RuntimeException e) {
            dir.close();
            throw e;
        }
    }

    /// Whole or not there, and durable with the next that is.
    void begin(Head head) {
        file("head", head, false);
    }

    /// All that undoing needs, durable before anything is moved.
    void write(Head head, List<Step> steps) {
        file("steps", new Moves(head, steps), true);
    }

    void done() {
        file("done", true, true);
    }

    private void file(String name, Object value, boolean durable) {
        var half = name + ".half";
        try (var file = dir.openAt(half, Open.WRONLY | Open.CREAT, 0600)) {
            file.truncate(0);
            file.write(JSON.writeValueAsBytes(value));
            if (durable) {
                file.fsync();
            }
        }
        dir.replace(half, dir, name);
        if (durable) {
            dir.fd().fsync();
        }
    }

    boolean has(String name) {
        return dir.has(name);
    }

    Stat stat() {
        return dir.fd().stat();
    }

    @Nullable Head head() {
        return has("steps") ? moves().head() : has("head") && size("head") > 0 ? read("head", Head.class) : null;
    }

    private long size(String name) {
        return dir.stat(name).size();
    }

    private Moves moves() {
        return read("steps", Moves.class);
    }

    List<Step> steps() {
        var steps = moves().steps();
        steps.stream().map(Step::path).filter(p -> Reserved.git(p) || Reserved.journal(p)).findFirst().ifPresent(p -> {
            throw new NotApplied("the journal names '" + p + "', which no apply moves");
        });
        return steps;
    }

    private <T> T read(String name, Class<T> type) {
        try (var file = dir.openAt(name, Open.RDONLY, 0)) {
            return JSON.readValue(file.readAll(MOST), type);
        } catch (JacksonException e) {
            throw new NotApplied("the journal '" + dir.fd().what() + "' of an earlier apply cannot be read: " + e.getOriginalMessage());
        }
    }

    static void remove(Journals journals, String id) {
        delete(journals.dir(), id);
    }

    /// With all that is in it; a directory of ours, so nothing else has its name.
    static void delete(Dir parent, String name) {
        var stat = parent.find(name);
        if (stat.isPresent() && stat.get().type() == Stat.Type.DIRECTORY) {
            try (var dir = parent.dirAt(name)) {
                // The word that all was done goes last of the files, or a half-removed one would be undone.
                dir.list(NAMES).stream().sorted((a, b) -> Boolean.compare(a.equals("done"), b.equals("done"))).forEach(n -> delete(dir, n));
            }
            parent.rmdir(name);
        } else if (stat.isPresent()) {
            parent.unlink(name);
        }
    }

    @Override
    public void close() {
        dir.close();
    }
}
