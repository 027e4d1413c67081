// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.wire.Change;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Applies change sets to real folders, also to hostile ones, and kills them at every step.
class ApplyingTest {
    @TempDir
    Path tmp;

    private Path state = Path.of("");

    @BeforeEach
    void stateOfTheUser() {
        state = tmp.resolve("state/redoma/apply");
    }

    private Applying open(Path target) throws IOException {
        return Applying.to(target, state, () -> {});
    }

    /// One entry of a tree: type, mode, and content or target.
    record Entry(String type, String mode, String content) {
        String digest() {
            return "sha256:" + HexFormat.of().formatHex(Tree.sha256().digest(Tree.bytes(content)));
        }
    }

    static Entry file(String content) {
        return new Entry("file", "0644", content);
    }

    static final Entry DIRECTORY = new Entry("directory", "0755", "");

    static void make(Path root, Map<String, Entry> tree) throws IOException {
        Files.createDirectories(root);
        for (var e : tree.entrySet()) {
            var path = root.resolve(e.getKey());
            switch (e.getValue().type()) {
                case "directory" -> Files.createDirectory(path);
                case "symlink" -> Files.createSymbolicLink(path, Path.of(e.getValue().content()));
                default -> Files.writeString(path, e.getValue().content());
            }
            if (!e.getValue().type().equals("symlink")) {
                Files.setAttribute(path, "unix:mode", Integer.parseInt(e.getValue().mode(), 8));
            }
        }
    }

    private static TreeMap<String, Entry> look(Path root) throws IOException {
        var tree = new TreeMap<String, Entry>();
        try (var walk = Files.walk(root)) {
            for (var path : walk.filter(p -> !p.equals(root)).toList()) {
                var mode = "%04o".formatted((Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 07777);
                tree.put(root.relativize(path).toString(), Files.isSymbolicLink(path) ? new Entry("symlink", "0777", Files.readSymbolicLink(path).toString())
                        : Files.isDirectory(path) ? new Entry("directory", mode, "") : new Entry("file", mode, Files.readString(path)));
            }
        }
        return tree;
    }

    /// As the server tells it; no renames.
    static List<Change> changes(Map<String, Entry> before, Map<String, Entry> after) {
        var all = new TreeSet<>(before.keySet());
        all.addAll(after.keySet());
        var out = new ArrayList<Change>();
        for (var path : all) {
            var b = before.get(path);
            var a = after.get(path);
            if (b == null || a == null || !b.equals(a)) {
                boolean mode = b != null && a != null && b.type().equals(a.type()) && b.content().equals(a.content());
                var it = a == null ? java.util.Objects.requireNonNull(b) : a;
                out.add(new Change(path, b == null ? "added" : a == null ? "deleted" : mode ? "mode" : "changed", it.type(), a != null && b != null && !a.type().equals(b.type()) ? b.type() : null, null, size(b), size(a),
                        mode(b), mode(a), digest(b), digest(a), a != null && a.type().equals("symlink") ? a.content() : null, List.of()));
            }
        }
        return out;
    }

    private static @Nullable Long size(@Nullable Entry e) {
        return e == null || !e.type().equals("file") ? null : (Long) (long) e.content().length();
    }

    private static @Nullable String mode(@Nullable Entry e) {
        return e == null || e.type().equals("symlink") ? null : e.mode();
    }

    private static @Nullable String digest(@Nullable Entry e) {
        return e == null || e.type().equals("directory") ? null : e.digest();
    }

    private void apply(Path target, Map<String, Entry> before, Map<String, Entry> after, Runnable afterStep) throws IOException {
        try (var applying = Applying.to(target, state, afterStep)) {
            applying.apply(changes(before, after), false, (files, into) -> {
                for (var c : files) {
                    into.file(c.path(), new ByteArrayInputStream(Tree.bytes(after.get(c.path()).content())));
                }
            });
        }
    }

    static Map<String, Entry> tree(Random random) {
        var tree = new TreeMap<String, Entry>();
        var dirs = new ArrayList<>(List.of(""));
        for (int i = 0; i < 14; i++) {
            var path = dirs.get(random.nextInt(dirs.size())) + List.of("a", "b", "ö", "x y", "-f").get(random.nextInt(5));
            if (!tree.containsKey(path)) {
                switch (random.nextInt(5)) {
                    case 0, 1 -> {
                        tree.put(path, new Entry("directory", random.nextInt(4) == 0 ? "0700" : "0755", ""));
                        dirs.add(path + "/");
                    }
                    case 2 -> tree.put(path, new Entry("symlink", "0777", "../" + random.nextInt(3)));
                    default -> tree.put(path, new Entry("file", random.nextInt(4) == 0 ? "0755" : "0644", "content " + random.nextInt(3)));
                }
            }
        }
        return tree;
    }

    @Test
    void aTreeAtRandomBecomesAnotherOneAndKilledAtAnyStepTheFirstAgain() throws Exception {
        int killed = 0;
        for (int seed = 0; seed < 60; seed++) {
            var random = new Random(seed);
            var before = tree(random);
            var after = tree(random);
            var whole = tmp.resolve("w" + seed);
            make(whole, before);
            apply(whole, before, after, () -> {});
            assertThat(look(whole)).as("seed %d", seed).isEqualTo(after);
            var cut = tmp.resolve("c" + seed);
            make(cut, before);
            int at = 1 + random.nextInt(8);
            var steps = new int[1];
            try {
                apply(cut, before, after, () -> {
                    if (++steps[0] == at) {
                        throw new Killed();
                    }
                });
                continue;
            } catch (Killed expected) {
                killed++;
            }
            assertThat(staging(cut)).hasSize(1);
            try (var again = open(cut)) {
                assertThat(again.settle()).isTrue();
                assertThat(again.settle()).as("once").isFalse();
            }
            assertThat(look(cut)).as("seed %d, killed after step %d", seed, at).isEqualTo(before);
        }
        assertThat(killed).isGreaterThan(30);
        assertThat(state).as("nothing is kept of what was settled").isEmptyDirectory();
    }

    private static List<Path> staging(Path target) throws IOException {
        try (var list = Files.list(target)) {
            return list.filter(p -> p.getFileName().toString().startsWith(Journal.NAME + "-")).toList();
        }
    }

    /// As the kernel's: nothing of ours runs after it.
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void undoingThatIsItselfKilledIsDoneAgainAndOneThatWasDoneIsNotUndone() throws Exception {
        var before = Map.of("a", file("old"), "b", file("b"));
        var after = Map.of("a", file("new"), "c", file("c"));
        var target = tmp.resolve("t");
        make(target, before);
        assertThatThrownBy(() -> apply(target, before, after, () -> {
            throw new Killed();
        })).isInstanceOf(Killed.class);
        var id = staging(target).getFirst().getFileName().toString().substring(Journal.NAME.length() + 1);
        try (var journals = Journals.open(state); var tree = new Tree(dev.redoma.kernel.Dir.open(target)); var record = JournalRecord.open(journals, id).orElseThrow(); var journal = new Journal(journals, id, record, java.util.Objects.requireNonNull(record.head()), tree)) {
            journal.back();
            journal.back();
            // Killed while it removed what it no longer needs, after its last word.
            journal.done();
            Files.delete(Files.list(staging(target).getFirst().resolve("new")).findFirst().orElseThrow());
        }
        try (var again = open(target)) {
            assertThat(again.settle()).isFalse();
        }
        assertThat(state).isEmptyDirectory();
        assertThat(look(target)).isEqualTo(before);
    }

    @Test
    void aTargetThatDiffersIsRefusedByNameAndStaysAsItIs() throws Exception {
        var before = new TreeMap<>(Map.of("a", file("one"), "gone", file("g"), "d", DIRECTORY));
        var after = new TreeMap<>(Map.of("a", file("two"), "d", DIRECTORY, "d/new", file("n")));
        var target = tmp.resolve("t");
        make(target, before);
        Files.writeString(target.resolve("a"), "mine");
        Files.writeString(target.resolve("d/new"), "mine too");
        var mine = look(target);
        assertThatThrownBy(() -> apply(target, before, after, () -> {})).isInstanceOfSatisfying(NotApplied.class, e -> assertThat(e.paths()).containsExactlyInAnyOrder("a", "d/new"));
        assertThat(look(target)).isEqualTo(mine);
        try (var applying = open(target)) {
            assertThat(applying.differing(changes(before, after))).containsExactlyInAnyOrder("a", "d/new");
            applying.apply(changes(before, after), true, (files, into) -> {
                for (var c : files) {
                    into.file(c.path(), new ByteArrayInputStream(Tree.bytes(after.get(c.path()).content())));
                }
            });
        }
        assertThat(look(target)).isEqualTo(after);
        // Once more: all of it is as it is to be.
        apply(target, before, after, () -> {});
        assertThat(look(target)).isEqualTo(after);
    }

    @Test
    void whatIsNotWhatWasReviewedOrDoesNotComeLeavesNothing() throws Exception {
        var before = Map.of("a", file("one"));
        var after = new TreeMap<>(Map.of("a", file("two"), "b", file("three")));
        var target = tmp.resolve("t");
        make(target, before);
        try (var applying = open(target)) {
            assertThatThrownBy(() -> applying.apply(changes(before, after), false, (files, into) -> into.file("a", new ByteArrayInputStream(Tree.bytes("twO"))))).hasMessageContaining("not what was reviewed");
            assertThatThrownBy(() -> applying.apply(changes(before, after), false, (files, into) -> into.file("a", new ByteArrayInputStream(Tree.bytes("two"))))).hasMessageContaining("'b' did not come");
            assertThatThrownBy(() -> applying.apply(changes(before, after), false, (files, into) -> {
                Files.writeString(target.resolve("a"), "meanwhile");
                into.file("a", new ByteArrayInputStream(Tree.bytes("two")));
                into.file("b", new ByteArrayInputStream(Tree.bytes("three")));
            })).hasMessageContaining("changed meanwhile");
            assertThatThrownBy(() -> open(target)).hasMessageContaining("another apply");
        }
        assertThat(look(target)).isEqualTo(Map.of("a", file("meanwhile")));
    }

    @Test
    void noLinkOfTheTargetLeadsOutOfIt() throws Exception {
        var outside = tmp.resolve("outside");
        make(outside, Map.of("f", file("mine")));
        var target = tmp.resolve("t");
        make(target, Map.of());
        Files.createSymbolicLink(target.resolve("d"), outside);
        Files.createSymbolicLink(target.resolve("a"), outside.resolve("f"));
        var before = new TreeMap<>(Map.of("a", file("mine"), "d", DIRECTORY, "d/f", file("mine")));
        for (var after : List.of(Map.of("a", file("mine"), "d", DIRECTORY, "d/f", file("evil")), Map.of("a", file("evil"), "d", DIRECTORY, "d/f", file("mine")),
                Map.of("a", file("mine"), "d", DIRECTORY, "d/f", file("mine"), "d/new", file("evil")), Map.of("a", file("mine")))) {
            assertThatThrownBy(() -> apply(target, before, new TreeMap<>(after), () -> {})).isInstanceOf(NotApplied.class);
        }
        for (var path : List.of("../x", "/etc/x", "a/../../x", "a//x", ".")) {
            var evil = new Change(path, "added", "file", null, null, null, 1L, null, "0644", null, file("x").digest(), null, List.of());
            try (var applying = open(target)) {
                assertThatThrownBy(() -> applying.apply(List.of(evil), true, (files, into) -> {})).as(path).isInstanceOf(NotApplied.class);
            }
        }
        assertThat(look(outside)).isEqualTo(Map.of("f", file("mine")));
        assertThat(Files.exists(tmp.resolve("x"))).isFalse();
    }

    @Test
    void aFolderThatCannotBeWrittenInTheMiddleIsAsBefore() throws Exception {
        var before = new TreeMap<>(Map.of("a", file("one"), "d", DIRECTORY, "d/f", file("f")));
        var target = tmp.resolve("t");
        make(target, before);
        Files.writeString(target.resolve("d/mine"), "not of the workspace");
        var mine = look(target);
        // 'd' cannot go, for something else is in it.
        assertThatThrownBy(() -> apply(target, before, Map.of("a", file("two")), () -> {})).isInstanceOf(NotApplied.class).hasMessageContaining("does not take it");
        assertThat(look(target)).isEqualTo(mine);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target.resolve("a")))).isEqualTo("rw-r--r--");
    }

    /// What a repository or an earlier change set can put into a folder: the journal of another folder, and the form that journals had.
    @Test
    void aJournalThatLiesInTheTargetIsNeverBelieved() throws Exception {
        var hostile = Map.of(Journal.NAME, DIRECTORY, Journal.NAME + "/new", DIRECTORY, Journal.NAME + "/old", DIRECTORY, Journal.NAME + "/old/0", new Entry("file", "0755", "evil"), Journal.NAME + "/steps",
                file("[{\"kind\":\"remove\",\"path\":\".git/hooks/pre-commit\",\"at\":\"0\"},{\"kind\":\"chmod\",\"path\":\"a\",\"before\":\"4755\",\"mode\":\"0644\"}]"), ".git", DIRECTORY, ".git/hooks", DIRECTORY, "a", file("one"));
        var target = tmp.resolve("t");
        make(target, new TreeMap<>(hostile));
        try (var applying = open(target)) {
            assertThat(applying.settle()).isFalse();
            assertThat(applying.foreignJournal()).isTrue();
        }
        assertThat(look(target)).isEqualTo(hostile);
        apply(target, Map.of("a", file("one")), Map.of("a", file("two")), () -> {});
        var after = new TreeMap<>(hostile);
        after.put("a", file("two"));
        assertThat(look(target)).isEqualTo(after);
    }

    @Test
    void aStagingDirectoryThatIsAnotherOrOfAnotherFolderIsNotTakenFrom() throws Exception {
        var before = Map.of("a", file("old"));
        var target = tmp.resolve("t");
        make(target, before);
        assertThatThrownBy(() -> apply(target, before, Map.of("a", file("new")), () -> {
            throw new Killed();
        })).isInstanceOf(Killed.class);
        var staging = staging(target).getFirst();
        // A copy of the whole folder, its directory of the journal included, is another folder.
        var copy = tmp.resolve("copy");
        make(copy, new TreeMap<>(look(target)));
        var copied = look(copy);
        try (var applying = open(copy)) {
            assertThat(applying.settle()).isFalse();
        }
        assertThat(look(copy)).isEqualTo(copied);
        // The folder itself, with a directory of that name which somebody else filled.
        Files.move(staging, tmp.resolve("aside"));
        make(staging, new TreeMap<>(Map.of("new", DIRECTORY, "old", DIRECTORY, "old/0", new Entry("file", "4755", "evil"))));
        Files.setAttribute(staging, "unix:mode", 0700);
        try (var applying = open(target)) {
            assertThatThrownBy(applying::settle).isInstanceOf(NotApplied.class).hasMessageContaining("nothing is taken from it");
        }
        assertThat(target.resolve("a")).doesNotExist();
        // Back, under another name of the folder: it is known by its inode.
        JournalRecord.delete(dev.redoma.kernel.Dir.open(target), staging.getFileName().toString());
        Files.move(tmp.resolve("aside"), staging);
        var moved = Files.move(target, tmp.resolve("moved"));
        try (var applying = open(moved)) {
            assertThat(applying.settle()).isTrue();
        }
        assertThat(look(moved)).isEqualTo(before);
    }

    @Test
    void whereTheJournalLiesIsTheUsersAloneAndNoChangeSetReachesIt() throws Exception {
        var target = tmp.resolve("home");
        make(target, Map.of());
        state = target.resolve("st/redoma/apply");
        open(target).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state))).isEqualTo("rwx------");
        for (var path : List.of("st", "st/redoma/apply", "st/redoma/apply/" + "0".repeat(32), ".git/hooks/x", "sub/.GIT", Journal.NAME, "d/" + Journal.NAME + "-1/steps")) {
            var evil = new Change(path, "added", "file", null, null, null, 1L, null, "0644", null, file("x").digest(), null, List.of());
            try (var applying = open(target)) {
                assertThatThrownBy(() -> applying.apply(List.of(evil), true, (files, into) -> into.file(path, new ByteArrayInputStream(Tree.bytes("x"))))).as(path).isInstanceOf(NotApplied.class).hasMessageContaining("never written");
            }
        }
        assertThatThrownBy(() -> open(state)).hasMessageContaining("own state");
        var git = Files.createDirectories(tmp.resolve("r/.git/hooks"));
        assertThatThrownBy(() -> open(git)).hasMessageContaining("'.git'");
        Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwxrwx---"));
        assertThatThrownBy(() -> open(target)).hasMessageContaining("closed to others");
    }
}
