// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The sandbox in which one step of a build does its work. Closing it ends it. One thread, but for `breakOff`.
final class StepBox implements AutoCloseable {
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final long OUTPUT = 64L << 20;
    private static final int PASSWD = 1 << 20;

    private final Core core;
    private final Commands commands;
    private final Ending ending;
    private final BuildOrder order;
    private final SandboxRow row;

    StepBox(Core core, Commands commands, Ending ending, BuildOrder order, SandboxRow row) {
        this.core = core;
        this.commands = commands;
        this.ending = ending;
        this.order = order;
        this.row = row;
        order.breakOff(() -> core.background().run("breaking off a step", this::end));
    }

    private String id() {
        return row.id().value();
    }

    /// Runs a command to its end; its output goes to the build's log as it comes.
    Exec run(List<String> argv, BuildState state, Duration longest) {
        var spec = new ExecSpec(argv, state.workdir(), state.environment(), state.user(), null, false, longest.toMillis(), OUTPUT, "build");
        core.approvals().forbidden(row.id(), argv);
        Exec exec = commands.execs().start(order.caller(), id(), spec);
        try (var output = commands.execs().output(order.caller(), id(), exec.id(), 0, true, false)) {
            for (var chunk = output.next(LOOK); chunk != null; chunk = output.next(LOOK)) {
                order.log().output(chunk.copy());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.of(Code.STOPPING, "The build was broken off.", "Build again.").raise();
        }
        return commands.execs().await(order.caller(), id(), exec.id(), LOOK);
    }

    /// Makes a directory and those above it; the new ones belong to that user.
    void directory(String path, String user) {
        String at = "";
        for (String part : path.substring(1).split("/")) {
            at += "/" + part;
            if (!part.isEmpty() && type(at) == null) {
                commands.files().mkdir(order.caller(), id(), at, "0", "0755");
                if (!user.equals("root") && !user.equals("0")) {
                    commands.files().attributes(order.caller(), id(), at, "0", null, user, false);
                }
            }
        }
    }

    /// What is at a path, links followed; null where nothing is.
    @Nullable String type(String path) {
        try {
            return commands.files().stat(order.caller(), id(), path, "0", true).type();
        } catch (RedomaException e) {
            if (e.code() == Code.FILE_NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    void copy(CopyPlan plan) {
        var files = order.files();
        if (files == null) {
            throw new IllegalStateException("a copy without files");
        }
        var owner = plan.owner() == null ? StepOwner.ROOT : StepOwner.of(plan.owner(), text("/etc/passwd"), text("/etc/group"));
        boolean into = plan.intoDirectory() || "directory".equals(type(plan.target()));
        String directory = into ? plan.target() : BuildPaths.parent(plan.target());
        directory(directory, owner.uid() + ":" + owner.gid());
        var items = into ? plan.items() : renamed(plan.items(), BuildPaths.name(plan.target()));
        // In the order in which they are named: a later one may replace what an earlier one brought.
        for (int from = 0, to; from < items.size(); from = to) {
            to = from + 1;
            while (to < items.size() && !items.get(from).unpack() && !items.get(to).unpack()) {
                to++;
            }
            try (InputStream tar = items.get(from).unpack()
                    ? files.open(items.get(from).entry())
                    : new CopyTar(files, items.subList(from, to), owner, plan.mode() == null ? -1 : plan.mode())) {
                commands.files().tarInOwned(order.caller(), id(), directory, tar);
            } catch (RedomaException e) {
                throw items.get(from).unpack() ? refused(items.get(from), e) : e;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static RedomaException refused(CopyPlan.Item archive, RedomaException e) {
        var p = e.problem();
        return new Problem(p.code(), p.layer(), "ADD of '" + CopySources.shown(archive.entry().path()) + "': " + p.message(), p.remedy(), p.details())
                .with("archive", CopySources.shown(archive.entry().path())).raise(e);
    }

    private static List<CopyPlan.Item> renamed(List<CopyPlan.Item> one, String name) {
        var items = new ArrayList<CopyPlan.Item>();
        one.forEach(i -> items.add(new CopyPlan.Item(name, i.entry())));
        return items;
    }

    private String text(String path) {
        var out = new ByteArrayOutputStream();
        try {
            commands.files().read(order.caller(), id(), path, "0", 0, PASSWD, info -> Channels.newChannel(out));
            return out.toString(StandardCharsets.ISO_8859_1);
        } catch (RedomaException e) {
            if (e.code() == Code.FILE_NOT_FOUND || e.code() == Code.FILE_REFUSED) {
                return "";
            }
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What was changed, as a layer. Whatever still runs is held for it; nothing runs on afterwards.
    String layer(LayerHolds.Hold hold) {
        Box box = core.boxes().find(row.id()).orElseThrow(() -> Access.ended(core.store().read(tx -> SandboxRows.get(tx, row.id()))));
        return core.boxes().locked(box, () -> {
            Pausing.live(box, core.row(box)).instance().freeze();
            return core.pool().layerOf(row.id(), hold).value();
        });
    }

    private void end() {
        core.boxes().find(row.id()).ifPresent(box -> core.boxes().locked(box, () -> ending.kill(box, order.caller().key(), core.reason("build", null, null))));
    }

    @Override
    public void close() {
        order.breakOff(() -> {});
        end();
    }
}
