// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.kernel.Stat;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.FileInfo;
import dev.redoma.pool.Incoming;
import dev.redoma.pool.Outgoing;
import dev.redoma.pool.Tree;
import dev.redoma.pool.TreeEntry;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Files of volumes, read and written by the host itself, without a sandbox. Paths begin at the volume's root; what lies there is hostile.
/// `user` is `uid` or `uid:gid` as seen inside: whom new files belong to, where not the volume's owner. What changes something is on record before
/// it can take effect.
final class VolumeFiles implements Files {
    private static final int PIECE = 1 << 17;

    private final Core core;

    VolumeFiles(Core core) {
        this.core = core;
    }

    @Override
    public FileInfo stat(Caller caller, String volume, String path, @Nullable String user, boolean follow) {
        return reading(caller, volume, user, tree -> info(tree.stat(path, follow)));
    }

    @Override
    public List<FileInfo> list(Caller caller, String volume, String path, @Nullable String user, int depth) {
        return reading(caller, volume, user, tree -> tree.list(path, depth, FileService.MAX_ENTRIES).stream().map(VolumeFiles::info).toList());
    }

    private static FileInfo info(TreeEntry e) {
        Stat s = e.stat();
        return new FileInfo(e.path(), s.type().name().toLowerCase(Locale.ROOT), s.size(), FileModes.show(s.mode()), s.uid(), s.gid(), Long.toString(s.uid()),
                Long.toString(s.gid()), s.modified(), s.accessed(), s.changed(), e.target(), s.links(), null, null);
    }

    @Override
    public void read(Caller caller, String volume, String path, @Nullable String user, long offset, long length, Header header) throws IOException {
        if (offset < 0 || length < 0) {
            throw Problem.field("offset", "a negative offset or length", "0 or more");
        }
        VolumeRow row = readable(caller, volume);
        try (var use = core.holding().use().read(row.id()); var tree = tree(row, user); var content = tree.open(path); var arena = Arena.ofConfined()) {
            if (length > 0) {
                var act = new Act(caller, FileAct.of("read", path, user).part(content.entry().stat().size(), offset, length));
                record(row, act, act.what(), "");
            }
            var to = header.accept(info(content.entry()));
            var segment = arena.allocate(PIECE, 4096);
            var piece = new byte[PIECE];
            long left = length;
            for (long at = offset, n; left > 0 && (n = content.fd().pread(segment.asSlice(0, Math.min(left, PIECE)), at)) > 0; at += n, left -= n) {
                MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, 0, piece, 0, (int) n);
                to.write(ByteBuffer.wrap(piece, 0, (int) n));
            }
        }
    }

    @Override
    public FileInfo writeWith(Caller caller, String volume, String path, @Nullable String user, NewFile how, InputStream data) throws IOException {
        if (!how.xattrs().isEmpty() || how.dropped() != null) {
            throw Problem.of(Code.NOT_OFFERED, "Files of volumes are written without attributes.", "Leave xattrs out, or write the file in a sandbox.").raise();
        }
        int bits = how.mode() == null ? -1 : FileModes.parse(how.mode());
        var act = new Act(caller, FileAct.of("write", path, user).mode(how.mode()));
        try (var held = writing(act, volume, false); var tree = tree(held.row(), user)) {
            return confirmed(act, held.row(), () -> info(tree.write(path, bits, data, written -> record(held.row(), act,
                    act.what().sent(written.size(), written.sha256()), ""))));
        }
    }

    @Override
    public FileInfo mkdir(Caller caller, String volume, String path, @Nullable String user, @Nullable String mode) {
        int bits = mode == null ? -1 : FileModes.parse(mode);
        return changing(new Act(caller, FileAct.of("mkdir", path, user).mode(mode)), volume, user, tree -> info(tree.mkdir(path, bits)));
    }

    @Override
    public void move(Caller caller, String volume, String from, String to, @Nullable String user) {
        changing(new Act(caller, FileAct.of("move", from, user).to(to)), volume, user, tree -> {
            tree.move(from, to);
            return true;
        });
    }

    @Override
    public void remove(Caller caller, String volume, String path, @Nullable String user, boolean recursive) {
        changing(new Act(caller, FileAct.of("remove", path, user).recursive(recursive)), volume, user, tree -> {
            tree.remove(path, recursive);
            return true;
        });
    }

    @Override
    public FileInfo attributes(Caller caller, String volume, String path, @Nullable String user, @Nullable String mode, @Nullable String owner,
            boolean recursive) {
        if (mode == null && owner == null) {
            throw Problem.field("mode", "neither mode nor owner is given", "at least one of them");
        }
        int bits = mode == null ? -1 : FileModes.parse(mode);
        long[] ids = owner == null ? new long[] {-1, -1} : VolumeRules.ids("owner", owner);
        var act = new Act(caller, FileAct.of("attributes", path, user).mode(mode).owner(owner).recursive(recursive));
        return changing(act, volume, user, tree -> info(tree.attributes(path, bits, ids[0], ids[1], recursive)));
    }

    @Override
    public void archiveOut(Caller caller, String volume, String path, @Nullable String user, Outgoing form, OutputStream to) throws IOException {
        VolumeRow row = readable(caller, volume);
        try (var use = core.holding().use().read(row.id()); var tree = tree(row, user)) {
            var act = new Act(caller, FileAct.of("export", path, user).as(form));
            record(row, act, act.what(), "");
            confirmed(act, row, () -> {
                form.tree(tree, path, to);
                return true;
            });
        }
    }

    @Override
    public void archiveIn(Caller caller, String volume, String path, @Nullable String user, InputStream archive) throws IOException {
        var act = new Act(caller, FileAct.of("archive", path, user));
        try (var held = writing(act, volume, true); var tree = tree(held.row(), user)) {
            long room = Math.max(0, held.row().sizeBytes() - core.pool().volumes().used(held.row().id()).value());
            confirmed(act, held.row(), () -> {
                try (var incoming = Incoming.receive(core.pool().root(), archive, room)) {
                    incoming.into(tree, path);
                    record(held.row(), act, act.what().unpacked(incoming.bytes(), incoming.entries()), ".done");
                    return true;
                }
            });
        }
    }

    @Override
    public Watch watch(Caller caller, String volume, String path, @Nullable String user, boolean recursive) {
        throw Problem.of(Code.NOT_OFFERED, "A volume cannot be watched from outside.", "Watch it in a sandbox that has it.").raise();
    }

    private record Act(Caller caller, FileAct what) {}

    private VolumeRow readable(Caller caller, String volume) {
        if (!caller.scopes().contains(Scope.EXEC)) {
            caller.need(Scope.READ);
        }
        return core.store().read(tx -> usable(Holding.visible(tx, caller, volume)));
    }

    private static VolumeRow usable(VolumeRow row) {
        if (!row.usable()) {
            throw Problem.of(Code.VOLUME_NOT_FOUND, "The volume '" + row.name() + "' is being made or deleted.", "See 'redoma volume list'.").raise();
        }
        return row;
    }

    private Tree tree(VolumeRow row, @Nullable String user) {
        long[] ids = user == null ? new long[] {row.uid(), row.gid()} : VolumeRules.ids("user", user);
        return new Tree(core.pool().volumes().open(row.id()), ids[0], ids[1]);
    }

    private <T> T reading(Caller caller, String volume, @Nullable String user, Function<Tree, T> work) {
        VolumeRow row = readable(caller, volume);
        try (var use = core.holding().use().read(row.id()); var tree = tree(row, user)) {
            return work.apply(tree);
        }
    }

    private <T> T changing(Act act, String volume, @Nullable String user, Function<Tree, T> work) {
        try (var held = writing(act, volume, true); var tree = tree(held.row(), user)) {
            return confirmed(act, held.row(), () -> work.apply(tree));
        } catch (IOException never) {
            throw new java.io.UncheckedIOException(never);
        }
    }

    private record Held(VolumeRow row, VolumeUse.Use use) implements AutoCloseable {
        @Override
        public void close() {
            use.close();
        }
    }

    /// Noted first, asked for then, in the order of the database's writer: a sandbox that comes after finds the note, one that came before is found.
    private Held writing(Act act, String volume, boolean recorded) {
        act.caller().need(Scope.EXEC);
        VolumeRow row = core.store().read(tx -> usable(Holding.visible(tx, act.caller(), volume)));
        VolumeUse.Use use = core.holding().use().write(row.id());
        try {
            core.store().write(tx -> {
                usable(VolumeRows.find(tx, row.id()).orElse(row));
                core.holding().mayWrite(tx, row);
                if (recorded) {
                    core.records().volumeFile(tx, row, act.caller().key(), act.what().action(), act.what().open(), act.what().sealed());
                }
                return true;
            });
            return new Held(row, use);
        } catch (RuntimeException | Error refused) {
            use.close();
            throw refused;
        }
    }

    private void record(VolumeRow row, Act act, FileAct what, String more) {
        core.store().write(tx -> {
            core.records().volumeFile(tx, row, act.caller().key(), what.action() + more, what.open(), what.sealed());
            return true;
        });
    }

    private interface Effect<T> {
        T run() throws IOException;
    }

    private <T> T confirmed(Act act, VolumeRow row, Effect<T> effect) throws IOException {
        try {
            return effect.run();
        } catch (RedomaException refused) {
            failed(act, row, refused.code().wire(), refused);
            throw refused;
        } catch (IOException broken) {
            failed(act, row, "broken-off", broken);
            throw broken;
        }
    }

    private void failed(Act act, VolumeRow row, String code, Exception why) {
        try {
            record(row, act, act.what().failed(code), ".failed");
        } catch (RedomaException unrecorded) {
            why.addSuppressed(unrecorded);
        }
    }
}
