// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.cli.apply.Branch;
import dev.redoma.cli.apply.Reserved;
import dev.redoma.cli.apply.Target;
import dev.redoma.client.json.Json;
import dev.redoma.model.wire.Change;
import java.util.LinkedHashMap;
import java.util.List;

/// What an apply brought, and what it left out.
record ApplyTold(Io io, boolean json, String digest) {
    int told(Target target, List<Change> wanted, List<Change> granted, List<String> replaced) {
        long git = granted.stream().filter(c -> Apply.either(c, Reserved::git)).count();
        var journals = granted.stream().filter(c -> !Apply.either(c, Reserved::git) && Apply.either(c, Reserved::journal)).map(Change::path).toList();
        if (json) {
            var all = new LinkedHashMap<String, Object>();
            all.put("applied", wanted.stream().map(Change::path).toList());
            all.put("replaced", replaced);
            all.put("leftOutGit", git);
            all.put("leftOutJournals", journals);
            all.put("digest", digest);
            if (target instanceof Branch made) {
                all.put("branch", made.name());
                all.put("commit", made.done().map(Branch.Done::commit).orElse(null));
                all.put("before", made.done().map(Branch.Done::before).orElse(null));
                all.put("author", made.author().toString());
                all.put("notCarried", made.done().map(Branch.Done::notCarried).orElse(List.of()));
            }
            io.line(Json.write(all));
            return Exit.OK;
        }
        wanted.forEach(c -> io.line(ChangeSummary.letter(c.kind()) + " " + Text.safe(c.path())));
        replaced.forEach(path -> io.err().println("redoma: was not as at the start, and was replaced: " + Text.safe(path)));
        if (git > 0) {
            io.err().println("redoma: left out, they lie in '.git': " + git + (git == 1 ? " entry" : " entries"));
        }
        if (!journals.isEmpty()) {
            io.err().println("redoma: left out, for apply itself uses such names: " + Apply.named(journals.stream().map(Text::safe).toList()));
        }
        if (target instanceof Branch made) {
            committed(made);
        }
        return Exit.OK;
    }

    private void committed(Branch made) {
        var done = made.done().orElseThrow();
        if (!done.notCarried().isEmpty()) {
            io.err().println("redoma: git holds no empty directories, and of modes only whether the owner may execute: not all is carried of " + Apply.named(done.notCarried().stream().map(Text::safe).toList()));
        }
        if (done.commit() == null) {
            io.err().println("redoma: no commit was made, for all of it that git holds is as it is to be");
        } else {
            io.err().println("redoma: branch '" + made.name() + "' is now " + done.commit() + " by " + Text.safe(made.author().toString()) + (done.before() == null ? ", and new" : ", and was " + done.before()));
        }
    }
}
