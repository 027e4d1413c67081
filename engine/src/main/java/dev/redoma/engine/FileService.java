// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.proto.ListDir;
import dev.redoma.engine.proto.MakeDir;
import dev.redoma.engine.proto.Move;
import dev.redoma.engine.proto.ReadFile;
import dev.redoma.engine.proto.Remove;
import dev.redoma.engine.proto.Request;
import dev.redoma.engine.proto.SetAttr;
import dev.redoma.engine.proto.Stat;
import dev.redoma.engine.proto.TarIn;
import dev.redoma.engine.proto.TarOut;
import dev.redoma.engine.proto.WriteFile;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.FileInfo;
import dev.redoma.pool.Incoming;
import dev.redoma.pool.Outgoing;
import dev.redoma.store.Store;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Files of running sandboxes: each call is one operation of the guest, which acts as the user of the commands; what changes something
/// is on record before it can take effect.
final class FileService implements Files {
    static final int MAX_ENTRIES = 10_000;
    private static final int MAX_DEPTH = 64;
    private static final Duration REACH = Duration.ofSeconds(10);
    private static final Duration SHORT = Duration.ofSeconds(30);
    private static final Duration LONG = Duration.ofMinutes(10);

    private static final int OPERATIONS = 64;
    private static final int WATCHES = 32;

    private final LiveBoxes boxes;
    private final Path waiting;
    private final FileLog log;
    private final FileSlots operations = new FileSlots("file operations", OPERATIONS);
    private final FileSlots watches = new FileSlots("watches", WATCHES);

    /// `waiting`: where archives wait until they are looked through.
    FileService(LiveBoxes boxes, Store store, Ledger ledger, Path waiting) {
        this.waiting = waiting;
        this.boxes = boxes;
        this.log = new FileLog(store, ledger);
    }

    @Override
    public FileInfo stat(Caller caller, String sandbox, String path, @Nullable String user, boolean follow) {
        return stat(reading(caller, sandbox), path, user, follow);
    }

    private FileInfo stat(Live live, String path, @Nullable String user, boolean follow) {
        var stat = Stat.newBuilder().setPath(Words.path("path", path)).setUser(user(live, user)).setFollow(follow);
        return operate(live, Request.newBuilder().setStat(stat).build(), path, op -> FileFacts.of(op.answer(SHORT, path)));
    }

    @Override
    public List<FileInfo> list(Caller caller, String sandbox, String path, @Nullable String user, int depth) {
        if (depth < 1 || depth > MAX_DEPTH) {
            throw Problem.field("depth", depth + " is out of range", "1 to " + MAX_DEPTH);
        }
        var live = reading(caller, sandbox);
        var list = ListDir.newBuilder().setPath(Words.path("path", path)).setUser(user(live, user)).setDepth(depth).setLimit(MAX_ENTRIES);
        return operate(live, Request.newBuilder().setList(list).build(), path, op -> FileFacts.all(op, SHORT, path, MAX_ENTRIES));
    }

    @Override
    public void read(Caller caller, String sandbox, String path, @Nullable String user, long offset, long length, Header header)
            throws IOException {
        if (offset < 0 || length < 0) {
            throw Problem.field("offset", "a negative offset or length", "0 or more");
        }
        var live = reading(caller, sandbox);
        var read = ReadFile.newBuilder().setPath(Words.path("path", path)).setUser(user(live, user)).setOffset(offset).setLength(length);
        try (var slot = operations.take(live.id()); var busy = live.busy(); var op = open(live, Request.newBuilder().setRead(read).build())) {
            var info = FileFacts.of(op.answer(SHORT, path));
            if (length > 0) {
                log.begin(new FileLog.Act(caller, live, FileAct.of("read", path, user(live, user)).part(info.size(), offset, length)));
            }
            FileStreams.down(op, header.accept(info), path);
        }
    }

    @Override
    public FileInfo writeWith(Caller caller, String sandbox, String path, @Nullable String user, NewFile how, InputStream data) throws IOException {
        var live = changing(caller, sandbox);
        var write = WriteFile.newBuilder().setPath(Words.path("path", path)).setUser(user(live, user)).setMode(FileModes.orNone(how.mode()))
                .setParents(true).putAllXattrs(Words.xattrs(how.xattrs()));
        if (how.dropped() != null) {
            write.setDropXattrs(how.dropped());
        }
        try (var slot = operations.take(live.id()); var busy = live.busy(); var op = open(live, Request.newBuilder().setWrite(write).build())) {
            var act = new FileLog.Act(caller, live, FileAct.of("write", path, user(live, user)).mode(how.mode()).attributes(how.xattrs(), how.dropped()));
            log.begin(act, FileStreams.up(op, data, path));
            return log.confirmed(act, () -> FileFacts.of(FileStreams.finish(op, LONG, path)));
        }
    }

    @Override
    public FileInfo mkdir(Caller caller, String sandbox, String path, @Nullable String user, @Nullable String mode) {
        var live = changing(caller, sandbox);
        var mkdir = MakeDir.newBuilder().setPath(Words.path("path", path)).setUser(user(live, user)).setMode(FileModes.orNone(mode))
                .setParents(true);
        change(caller, live, FileAct.of("mkdir", path, user(live, user)).mode(mode), path, Request.newBuilder().setMkdir(mkdir));
        return stat(live, path, user, true);
    }

    @Override
    public void move(Caller caller, String sandbox, String from, String to, @Nullable String user) {
        var live = changing(caller, sandbox);
        var move = Move.newBuilder().setFrom(Words.path("from", from)).setTo(Words.path("to", to)).setUser(user(live, user));
        change(caller, live, FileAct.of("move", from, user(live, user)).to(to), from, Request.newBuilder().setMove(move));
    }

    @Override
    public void remove(Caller caller, String sandbox, String path, @Nullable String user, boolean recursive) {
        var live = changing(caller, sandbox);
        var remove = Remove.newBuilder().setPath(Words.path("path", path)).setUser(user(live, user)).setRecursive(recursive);
        change(caller, live, FileAct.of("remove", path, user(live, user)).recursive(recursive), path, Request.newBuilder().setRemove(remove));
    }

    @Override
    public FileInfo attributes(Caller caller, String sandbox, String path, @Nullable String user, @Nullable String mode,
            @Nullable String owner, boolean recursive) {
        if (mode == null && owner == null) {
            throw Problem.field("mode", "neither mode nor owner is given", "at least one of them");
        }
        var live = changing(caller, sandbox);
        var set = SetAttr.newBuilder().setPath(Words.path("path", path)).setUser(user(live, user)).setRecursive(recursive);
        if (mode != null) {
            set.setMode(FileModes.parse(mode));
        }
        if (owner != null) {
            set.setOwner(Words.user(owner));
        }
        change(caller, live, FileAct.of("attributes", path, user(live, user)).mode(mode).owner(owner).recursive(recursive), path, Request.newBuilder().setSetAttr(set));
        return stat(live, path, user, true);
    }

    @Override
    public void archiveOut(Caller caller, String sandbox, String path, @Nullable String user, Outgoing form, OutputStream to) throws IOException {
        var live = reading(caller, sandbox);
        // In part or as a zip there is nothing that a hard link could lead to.
        var out = TarOut.newBuilder().setPath(Words.path("path", path)).setUser(user(live, user)).setWhole(!form.plain());
        var act = new FileLog.Act(caller, live, FileAct.of("export", path, user(live, user)).as(form));
        log.begin(act);
        try (var slot = operations.take(live.id()); var busy = live.busy(); var op = open(live, Request.newBuilder().setTarOut(out).build())) {
            if (form.plain()) {
                FileStreams.down(op, to instanceof WritableByteChannel direct ? direct : Channels.newChannel(to), path);
            } else {
                form.tar(GuestBytes.from(op, path), to);
            }
        } catch (RedomaException e) {
            log.failed(act, e.code().wire(), e);
            throw e;
        } catch (IOException e) {
            log.failed(act, "broken-off", e);
            throw e;
        }
    }

    @Override
    public void archiveIn(Caller caller, String sandbox, String path, @Nullable String user, InputStream archive) throws IOException {
        var live = changing(caller, sandbox);
        tarIn(caller, live, path, TarIn.newBuilder().setPath(Words.path("path", path)).setUser(user(live, user)), archive);
    }

    /// As root, and every member keeps the owner that the archive says.
    void tarInOwned(Caller caller, String sandbox, String path, InputStream tar) throws IOException {
        var live = changing(caller, sandbox);
        tarIn(caller, live, path, TarIn.newBuilder().setPath(Words.path("path", path)).setUser("0").setKeepOwners(true), tar);
    }

    private void tarIn(Caller caller, Live live, String path, TarIn.Builder in, InputStream archive) throws IOException {
        var act = new FileLog.Act(caller, live, FileAct.of("archive", path, in.getUser()));
        log.begin(act);
        try (var slot = operations.take(live.id()); var busy = live.busy(); var incoming = Incoming.receive(waiting, archive, Incoming.ROOM)) {
            unpack(live, Request.newBuilder().setTarIn(in).build(), path, incoming, act);
        } catch (RedomaException e) {
            log.failed(act, e.code().wire(), e);
            throw archive(e);
        } catch (IOException e) {
            log.failed(act, "broken-off", e);
            throw e;
        }
    }

    private void unpack(Live live, Request request, String path, Incoming incoming, FileLog.Act act) throws IOException {
        try (var op = open(live, request)) {
            var to = GuestBytes.to(op, path, FileStreams.sha256());
            incoming.tarTo(to);
            FileStreams.finish(op, LONG, path);
            log.done(act, to.sent());
        }
    }

    /// A member that the guest would not unpack is the archive's fault, not the path's.
    private static RedomaException archive(RedomaException e) {
        if (e.code() != Code.FILE_REFUSED || !"INVALID".equals(e.problem().details().get("guestCode"))) {
            return e;
        }
        var p = e.problem();
        return new Problem(Code.ARCHIVE_REFUSED, p.layer(), p.message(), "Leave that member out, or remove what is in its way; those before it are there.",
                p.details()).with("written", "some").raise();
    }

    @Override
    public Watch watch(Caller caller, String sandbox, String path, @Nullable String user, boolean recursive) {
        var live = reading(caller, sandbox);
        var watch = dev.redoma.engine.proto.Watch.newBuilder().setPath(Words.path("path", path)).setUser(user(live, user))
                .setRecursive(recursive);
        var busy = live.busy();
        try {
            var slot = watches.take(live.id());
            try {
                return new FileWatch(watching(live, Request.newBuilder().setWatch(watch).build(), path), slot, busy);
            } catch (RuntimeException e) {
                slot.close();
                throw e;
            }
        } catch (RuntimeException e) {
            busy.close();
            throw e;
        }
    }

    private static GuestOp watching(Live live, Request request, String path) {
        var op = open(live, request);
        try {
            op.answer(SHORT, path);
            return op;
        } catch (RuntimeException e) {
            op.close();
            throw e;
        }
    }

    private Live reading(Caller caller, String sandbox) {
        if (!caller.scopes().contains(Scope.EXEC)) {
            caller.need(Scope.READ);
        }
        return boxes.used(caller, sandbox);
    }

    private Live changing(Caller caller, String sandbox) {
        caller.need(Scope.EXEC);
        return boxes.used(caller, sandbox);
    }

    private static String user(Live live, @Nullable String user) {
        return user == null ? live.defaultUser() : Words.user(user);
    }

    private static GuestOp open(Live live, Request request) {
        return live.guest().open(request, REACH);
    }

    private <T> T operate(Live live, Request request, String subject, Function<GuestOp, T> work) {
        try (var slot = operations.take(live.id()); var busy = live.busy(); var op = open(live, request)) {
            return work.apply(op);
        }
    }

    private void change(Caller caller, Live live, FileAct what, String path, Request.Builder request) {
        var act = new FileLog.Act(caller, live, what);
        log.begin(act);
        log.confirmed(act, () -> operate(live, request.build(), path, op -> op.answer(LONG, path)));
    }
}
