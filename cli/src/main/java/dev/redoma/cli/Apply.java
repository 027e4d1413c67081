// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.cli.apply.Applying;
import dev.redoma.cli.apply.Author;
import dev.redoma.cli.apply.Branch;
import dev.redoma.cli.apply.Incoming;
import dev.redoma.cli.apply.NotApplied;
import dev.redoma.cli.apply.Origin;
import dev.redoma.cli.apply.Reserved;
import dev.redoma.cli.apply.Target;
import dev.redoma.client.RedomaClient;
import dev.redoma.client.Review;
import dev.redoma.kernel.Names;
import dev.redoma.model.wire.ApplyChanges;
import dev.redoma.model.wire.ApplyGrant;
import dev.redoma.model.wire.ApplyResult;
import dev.redoma.model.wire.Change;
import dev.redoma.model.wire.ChangeSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Brings a reviewed change set back to a folder, or to a branch of a repository.
@Command(name = "apply", description = {
    "Bring what was reviewed of a sandbox's workspace back to a folder, or to a branch: all of it or nothing, also of a sandbox that has ended.",
    "It is refused if the workspace changed since the review, or the target is not as the workspace was at its start. No link of it is followed and git is never run; what lies in '.git' is left out."})
final class Apply extends Verb {
    /// These are never brought: no copy of them means what they meant.
    private static final Set<String> SPECIAL = Set.of("fifo", "socket", "char", "block");
    private static final int NAMED = 20;

    @Parameters(index = "0", paramLabel = "SANDBOX")
    String sandbox = "";

    @Option(names = "--to", paramLabel = "DIR", required = true, description = "The folder; it is there.")
    String to = "";

    @Option(names = "--digest", paramLabel = "DIGEST", required = true, description = "Of the change set as it was reviewed: the last line of 'redoma diff SANDBOX'.")
    String digest = "";

    @Option(names = "--only", paramLabel = "PATTERN", description = "Only what matches, such as 'src/**'; repeatable.")
    List<String> only = List.of();

    @Option(names = "--flagged", paramLabel = "FLAG", split = ",", description = "Bring also what has this flag, which was looked at; repeatable, or 'all'.")
    List<String> flagged = List.of();

    @Option(names = "--replace", description = "Replace what in the folder is not as it was at the start.")
    boolean replace;

    @Option(names = "--wait", paramLabel = "TIME", description = "Where humans have to approve it: wait so long for them, then end as without (exit code 4). Without: as long as the server holds the call.")
    @Nullable String wait;

    @Option(names = "--branch", paramLabel = "NAME", description = "DIR is a repository of git: one commit on this branch, which is made of HEAD's commit if it is not there. No work tree is touched.")
    @Nullable String branch;

    @Option(names = "--author", paramLabel = "'NAME <MAIL>'", description = "Whose the commit is; without: user.name and user.email of the repository's configuration, or of yours.")
    @Nullable String author;

    @Option(names = "--message", paramLabel = "TEXT", description = "Of the commit. Lines that name sandbox, change set and apply are added.")
    @Nullable String message;

    Apply(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) throws IOException {
        if (!Files.isDirectory(Path.of(to))) {
            throw new Failed(Exit.NOT_FOUND, "'" + to + "' is no folder.", "Make it, or name another.");
        }
        var review = SandboxName.in(client, sandbox).review();
        try (var target = target()) {
            return apply(review, target);
        } catch (NotApplied e) {
            throw failed(e);
        }
    }

    private Target target() throws IOException {
        if (branch == null) {
            if (author != null || message != null) {
                throw new Failed(Exit.USAGE, "--author and --message are of a commit.", "Say --branch NAME.");
            }
            return Applying.to(Path.of(to));
        }
        if (!Branch.valid(branch)) {
            throw new Failed(Exit.USAGE, "'" + Text.safe(branch) + "' names no branch that can be made.", "Such as --branch agent/fix-17: without 'refs/heads/'.");
        }
        if (message != null && (message.isBlank() || message.indexOf('\0') >= 0)) {
            throw new Failed(Exit.USAGE, "--message says nothing.", "Leave it out for one that names the sandbox.");
        }
        var whose = author == null ? null : Author.parse(author).orElseThrow(() -> new Failed(Exit.USAGE, "'" + Text.safe(String.valueOf(author)) + "' is no author.", "Such as --author 'Ann Lee <ann@example.com>'."));
        return Branch.of(Path.of(to), branch, whose, message);
    }

    private int apply(Review review, Target target) throws IOException {
        var set = review.changes(ChangeSet.WORKSPACE);
        known(set);
        if (!set.digest().equals(digest)) {
            throw new Failed(Exit.REFUSED, "The workspace is not what was reviewed: its change set is " + set.digest() + ".", "Review it again with 'redoma diff', and give that digest.");
        }
        if (only.isEmpty()) {
            refuse(brought(set.items())); // nobody is asked for what would not be brought
        }
        if (target instanceof Applying folder) {
            earlier(folder);
        }
        var where = Path.of(to).toRealPath() + (branch == null ? "" : "#refs/heads/" + branch);
        var grant = granted(review, new ApplyChanges(digest, only.isEmpty() ? null : only, where));
        var paths = new HashSet<>(grant.paths());
        var granted = set.items().stream().filter(c -> paths.contains(c.path())).toList();
        var wanted = brought(granted);
        try {
            refuse(wanted);
            var replaced = replace ? target.differing(wanted) : List.<String>of();
            target.apply(wanted, replace, (files, into) -> fetch(review, into), new Origin(set.sandbox(), digest, grant.id()));
            review.applied(grant, new ApplyResult("applied", null));
            return new ApplyTold(io, json, digest).told(target, wanted, granted, replaced);
        } catch (NotApplied | Failed | IOException e) {
            tell(review, grant, e);
            throw e;
        }
    }

    /// A word that was mistyped must not pass for one that was looked at.
    private void known(ChangeSet set) {
        var known = new TreeSet<>(ChangeSet.FLAGS);
        known.addAll(set.flags().keySet());
        known.add("all");
        flagged.stream().filter(f -> !known.contains(f)).findFirst().ifPresent(f -> {
            throw new Failed(Exit.USAGE, "'" + Text.safe(f) + "' is no flag.", "One of: " + String.join(", ", known) + ".");
        });
    }

    private static List<Change> brought(List<Change> all) {
        return all.stream().filter(c -> !either(c, Reserved::git) && !either(c, Reserved::journal)).toList();
    }

    static boolean either(Change c, Predicate<String> what) {
        return what.test(c.path()) || c.from() != null && what.test(c.from());
    }

    /// After the digest was found to be the reviewed one.
    private void earlier(Applying applying) {
        if (applying.settle()) {
            io.err().println("redoma: an earlier apply to this folder was ended in the middle; it was undone");
        }
        if (applying.foreignJournal()) {
            io.err().println("redoma: '.redoma-apply' in the folder is no journal of ours: nothing is taken from it, and it stays");
        }
    }

    private void refuse(List<Change> wanted) {
        refuseSpecial(wanted);
        refuseFlagged(wanted);
    }

    private ApplyGrant granted(Review review, ApplyChanges what) {
        return new ApprovalWait(io, wait == null ? Duration.ZERO : Durations.parse("--wait", wait)).call(() -> review.apply(what));
    }

    private static void tell(Review review, ApplyGrant grant, Exception why) {
        try {
            review.applied(grant, new ApplyResult("failed", cut(String.valueOf(why.getMessage()))));
        } catch (RuntimeException notTold) {
            why.addSuppressed(notTold);
        }
    }

    private void fetch(Review review, Incoming into) throws IOException {
        review.files(ChangeSet.WORKSPACE, only, (name, content) -> into.file(Names.printable(Names.decode(name)), content));
    }

    private static void refuseSpecial(List<Change> wanted) {
        var special = wanted.stream().filter(c -> SPECIAL.contains(c.type()) && !c.kind().equals("deleted")).map(c -> Text.safe(c.path()) + " (" + c.type() + ")").toList();
        if (!special.isEmpty()) {
            throw new Failed(Exit.REFUSED, "Nothing was applied: special files are not brought: " + named(special), "Leave them out with --only.");
        }
    }

    private void refuseFlagged(List<Change> wanted) {
        if (flagged.contains("all")) {
            return;
        }
        var unseen = wanted.stream().filter(c -> !Set.copyOf(flagged).containsAll(c.flags())).map(c -> Text.safe(c.path()) + " [" + String.join(", ", c.flags()) + "]").toList();
        if (!unseen.isEmpty()) {
            throw new Failed(Exit.REFUSED, "Nothing was applied: some of it acts when it is opened: " + named(unseen), "Look at it ('redoma diff --patch'), then name the flags: --flagged FLAG, or --flagged all.");
        }
    }

    static String named(List<String> all) {
        return String.join(", ", all.stream().limit(NAMED).toList()) + (all.size() > NAMED ? " and " + (all.size() - NAMED) + " more" : "");
    }

    private static String cut(String text) {
        return text.length() <= 4000 ? text : text.substring(0, 4000);
    }

    private Failed failed(NotApplied e) {
        var nothing = branch == null ? "Nothing of it is in the folder." : "Nothing of it is on the branch.";
        return new Failed(Exit.REFUSED, Text.safe(String.valueOf(e.getMessage())), branch != null && e.paths().isEmpty() ? nothing : nothing + " See what differs there; --replace replaces what is not as it was at the start.");
    }
}
