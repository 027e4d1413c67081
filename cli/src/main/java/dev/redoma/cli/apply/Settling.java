// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;

/// Undoes what a killed apply left of a target, by the user's own journals and nothing else. The target is locked by the caller.
final class Settling {
    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
    private static final int MOST = 100_000;
    /// A record that says nothing yet may be of an apply that begins this moment.
    private static final Duration BEGINS = Duration.ofHours(1);
    /// Of a folder that is not there any more.
    private static final Duration KEPT = Duration.ofDays(30);

    private final Journals journals;
    private final Tree target;
    private final Path where;

    private Settling(Journals journals, Tree target, Path where) {
        this.journals = journals;
        this.target = target;
        this.where = where;
    }

    /// Whether anything was undone.
    static boolean of(Journals journals, Tree target, Path where) {
        var settling = new Settling(journals, target, where);
        boolean undone = false;
        for (var id : journals.dir().list(MOST)) {
            if (ID.matcher(id).matches()) {
                undone |= settling.one(id);
            }
        }
        return undone;
    }

    private boolean one(String id) {
        var open = JournalRecord.open(journals, id);
        if (open.isEmpty()) {
            return false;
        }
        try (var record = open.get()) {
            var head = record.head();
            if (head == null) {
                removeAfter(BEGINS, id, record);
                return false;
            }
            if (!head.is(where, target.root().fd().stat())) {
                if (!Files.exists(Path.of(head.target()), LinkOption.NOFOLLOW_LINKS)) {
                    removeAfter(KEPT, id, record);
                }
                return false;
            }
            return settle(id, record, head);
        }
    }

    private boolean settle(String id, JournalRecord record, Head head) {
        var staging = head.staging();
        var there = target.root().find(Journal.staging(id));
        if (there.isEmpty() || staging == null) {
            Journal.unstage(target.root(), id);
            JournalRecord.remove(journals, id);
            return false;
        }
        if (there.get().inode() != staging) {
            throw new NotApplied("'" + Journal.staging(id) + "' in the folder is not the directory that an apply which was ended in the middle made there: nothing is taken from it. Look at it, and remove it and '"
                    + journals.place().resolve(id) + "'");
        }
        journals.own(there.get(), where.resolve(Journal.staging(id)));
        try (var journal = new Journal(journals, id, record, head, target)) {
            boolean undone = journal.undo();
            journal.remove();
            return undone;
        }
    }

    private void removeAfter(Duration age, String id, JournalRecord record) {
        if (record.stat().modified().isBefore(Instant.now().minus(age))) {
            JournalRecord.remove(journals, id);
        }
    }
}
