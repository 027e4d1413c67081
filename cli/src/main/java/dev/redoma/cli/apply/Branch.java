// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import dev.redoma.model.wire.Change;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.LargeObjectException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.errors.ObjectWritingException;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.jspecify.annotations.Nullable;

/// Makes one commit of changes, on a branch: objects that nothing names, and then the branch from the commit that it was at to the new one, if it still is there. No program is run, no work tree and no index is touched. Not thread-safe.
public final class Branch implements Target {
    private final GitFiles files;
    private final Repository repository;
    private final String name;
    private final Author author;
    private final @Nullable String message;
    private final @Nullable ObjectId tip;
    private final @Nullable ObjectId parent;
    private final Runnable beforeMove;
    private Optional<Done> done = Optional.empty();

    /// What came of it: the commit (null where none was made, for the branch's, or HEAD's, is as it is to be), the one that the branch was at (null where there was none), and of which paths git does not hold all.
    public record Done(@Nullable String commit, @Nullable String before, List<String> notCarried) {}

    private Branch(GitFiles files, Repository repository, String name, Author author, @Nullable String message, Runnable beforeMove) throws IOException {
        this.files = files;
        this.repository = repository;
        this.name = name;
        this.author = author;
        this.message = message;
        this.beforeMove = beforeMove;
        var ref = repository.exactRef(ref());
        this.tip = ref == null ? null : id(ref);
        this.parent = commit(tip == null ? head() : tip);
    }

    /// Whether it names a branch that can be made.
    public static boolean valid(String name) {
        return GitNames.branch(name);
    }

    /// Opens the repository at a folder, or that is one. `author` null: whom its configuration names, or the user's own. Nothing in it is touched.
    public static Branch of(Path folder, String name, @Nullable Author author, @Nullable String message) {
        return of(folder, name, author, message, Author.users(), () -> {});
    }

    /// `beforeMove`: for tests of what happens meanwhile.
    static Branch of(Path folder, String name, @Nullable Author author, @Nullable String message, List<Path> users, Runnable beforeMove) {
        try {
            return open(folder, name, author, message, users, beforeMove);
        } catch (LargeObjectException | IOException e) {
            throw new NotApplied("the repository cannot be read: " + e.getMessage());
        }
    }

    private static Branch open(Path folder, String name, @Nullable Author author, @Nullable String message, List<Path> users, Runnable beforeMove) throws IOException {
        if (!valid(name)) {
            throw new NotApplied("'" + name + "' names no branch that can be made");
        }
        var files = GitFiles.of(folder);
        files.refuseCheckedOut(Constants.R_HEADS + name);
        var whose = author == null ? Author.configured(files.config(), users) : author;
        var directory = files.path().toFile();
        var repository = new FileRepositoryBuilder().setFS(QuietGit.fileSystem()).setGitDir(directory).setGitCommonDir(directory)
                .setObjectDirectory(files.path().resolve("objects").toFile()).setBare().setMustExist(true).build();
        try {
            repository.getConfig().setBoolean("core", null, "fsyncObjectFiles", true);
            repository.getConfig().setBoolean("core", null, "fsyncRefFiles", true);
            return new Branch(files, repository, name, whose, message, beforeMove);
        } catch (RuntimeException | IOException e) {
            repository.close();
            throw e;
        }
    }

    private String ref() {
        return Constants.R_HEADS + name;
    }

    private static ObjectId id(Ref ref) {
        var id = ref.getObjectId();
        if (ref.isSymbolic() || id == null) {
            throw new NotApplied("'" + ref.getName() + "' stands for another one, which is not followed");
        }
        return id;
    }

    /// Null where no commit was made yet.
    private @Nullable ObjectId head() throws IOException {
        var head = files.head();
        if (ObjectId.isId(head)) {
            return ObjectId.fromString(head);
        }
        var target = head.startsWith("ref:") ? head.substring(4).strip() : "";
        if (!target.startsWith(Constants.R_REFS) || !Repository.isValidRefName(target)) {
            throw new NotApplied("HEAD of the repository names nothing that is known");
        }
        var ref = repository.exactRef(target);
        return ref == null ? null : id(ref);
    }

    private @Nullable ObjectId commit(@Nullable ObjectId id) throws IOException {
        if (id == null) {
            return null;
        }
        try (var walk = new RevWalk(repository)) {
            return walk.parseCommit(id).copy();
        }
    }

    private GitTree tree(org.eclipse.jgit.lib.ObjectReader reader) throws IOException {
        if (parent == null) {
            return new GitTree(reader, null);
        }
        try (var walk = new RevWalk(reader)) {
            return new GitTree(reader, walk.parseCommit(parent).getTree().copy());
        }
    }

    @Override
    public List<String> differing(List<Change> changes) throws IOException {
        try (var reader = repository.newObjectReader()) {
            return List.copyOf(new BranchPlan(reader, tree(reader), changes, true).differing());
        }
    }

    @Override
    public void apply(List<Change> changes, boolean over, Contents contents, Origin origin) throws IOException {
        try (var inserter = repository.newObjectInserter(); var reader = repository.newObjectReader()) {
            var tree = tree(reader);
            var plan = new BranchPlan(reader, tree, changes, over);
            var incoming = new IncomingBlobs(inserter, plan.comes());
            contents.fetch(plan.comes().values().stream().filter(c -> c.type().equals("file")).toList(), incoming);
            plan.change(incoming.whole());
            var id = tree.write(inserter);
            var lost = plan.lost(); // nothing may fail once the branch has moved
            if (parent != null && id.equals(tree(reader).write(inserter)) || parent == null && plan.comes().isEmpty()) {
                done = Optional.of(new Done(null, before(), lost));
                return;
            }
            var commit = commit(inserter, id, origin);
            inserter.flush();
            move(commit);
            done = Optional.of(new Done(commit.name(), before(), lost));
        } catch (LargeObjectException e) {
            throw new NotApplied("the repository holds an object that is larger than any that is read: " + e.getMessage());
        } catch (MissingObjectException | CorruptObjectException | IncorrectObjectTypeException | ObjectWritingException | FileSystemException | FileNotFoundException e) {
            throw new NotApplied("the repository cannot be read, or does not take it: " + e.getMessage());
        }
    }

    private @Nullable String before() {
        return tip == null ? null : tip.name();
    }

    private ObjectId commit(ObjectInserter inserter, ObjectId tree, Origin origin) throws IOException {
        var who = new PersonIdent(author.name(), author.mail(), Instant.now(), ZoneId.systemDefault());
        var commit = new CommitBuilder();
        commit.setTreeId(tree);
        if (parent != null) {
            commit.setParentId(parent);
        }
        commit.setAuthor(who);
        commit.setCommitter(who);
        commit.setMessage((message == null ? "Changes of sandbox " + origin.sandbox() : message.strip()) + "\n\nRedoma-Sandbox: " + origin.sandbox() + "\nRedoma-Changes: " + origin.digest() + "\nRedoma-Apply: " + origin.apply() + "\n");
        return inserter.insert(commit);
    }

    private void move(ObjectId commit) throws IOException {
        beforeMove.run();
        files.refuseCheckedOut(ref());
        var update = repository.updateRef(ref());
        update.setExpectedOldObjectId(tip == null ? ObjectId.zeroId() : tip);
        update.setNewObjectId(commit);
        update.disableRefLog();
        update.setForceUpdate(true);
        var result = update.update();
        if (result != RefUpdate.Result.NEW && result != RefUpdate.Result.FORCED) {
            throw new NotApplied("branch '" + name + "' did not move (" + result + "): it was moved meanwhile, another git holds its lock, or a branch of which its name is a part is there");
        }
    }

    public String name() {
        return name;
    }

    public Author author() {
        return author;
    }

    /// Empty until it was applied.
    public Optional<Done> done() {
        return done;
    }

    @Override
    public void close() {
        repository.close();
    }
}
