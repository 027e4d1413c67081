// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.engine.Execs;
import dev.redoma.http.Exchange;
import dev.redoma.http.connect.Connect;
import dev.redoma.http.connect.Frames;
import dev.redoma.http.connect.Message;
import dev.redoma.http.connect.Messages;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.Tty;
import dev.redoma.protocols.e2b.envd.Box.Asked;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// `process.Process`: commands of the engine under the names these clients know.
final class Processes {
    /// How long input may wait for a process that does not read, where the client sets no limit.
    private static final Duration INPUT = Duration.ofMinutes(1);
    /// How long the end of a command may take to be known here once the command reads nothing more.
    private static final Duration ENDING = Duration.ofMillis(500);
    private static final Duration LONGEST = Duration.ofHours(24);
    private static final int COLUMNS = 80;
    private static final int ROWS = 24;
    private static final Map<String, Object> NOTHING = Map.of();

    private final Execs execs;
    private final Selected selected;
    private final ProcessEvents events;

    Processes(Execs execs, ProcessEvents events) {
        this.execs = execs;
        this.selected = new Selected(execs);
        this.events = events;
    }

    void call(String method, Exchange http, Asked asked) throws Exception {
        switch (method) {
            case "Start" -> Connect.streaming(http, (request, out) -> start(http, asked, request, out));
            case "Connect" -> Connect.streaming(http, (request, out) -> connect(http, asked, request, out));
            case "List" -> Connect.unary(http, request -> Map.of("processes", selected.running(asked.box()).stream().map(Processes::info).toList()));
            case "Update" -> Connect.unary(http, request -> update(asked, request));
            case "SendInput" -> Connect.unary(http, request -> input(http, asked, request));
            case "StreamInput" -> Connect.upstream(http, requests -> inputs(http, asked, requests));
            case "SendSignal" -> Connect.unary(http, request -> signal(asked, request));
            case "CloseStdin" -> Connect.unary(http, request -> closeStdin(http, asked, request));
            default -> throw Problem.of(Code.ROUTE_NOT_FOUND, "process.Process has no method " + method + ".", "See the protocol.").raise();
        }
    }

    private void start(Exchange http, Asked asked, Message request, Frames out) throws Exception {
        var spec = spec(http, asked, request);
        var exec = Users.known(asked.user(), () -> execs.start(asked.caller(), asked.id(), spec));
        selected.started(asked.box(), exec);
        events.follow(http, asked.box(), exec, 0, out);
    }

    private static ExecSpec spec(Exchange http, Asked asked, Message request) {
        var process = request.message("process");
        if (process == null || process.text("cmd").isEmpty()) {
            throw Problem.field("process.cmd", "is missing", "the program to start");
        }
        var argv = new ArrayList<String>();
        argv.add(process.text("cmd"));
        argv.addAll(process.texts("args"));
        var env = new LinkedHashMap<>(asked.box().env());
        env.putAll(process.map("envs"));
        var cwd = process.text("cwd");
        var tty = first(tty(request.message("pty")));
        var time = Deadline.of(http);
        boolean stdin = !Boolean.FALSE.equals(request.flag("stdin")); // clients older than the field send input without it
        return new ExecSpec(argv, cwd.isEmpty() ? null : Paths.in(cwd), env, asked.user(), tty, stdin, time == null ? null : Math.min(time.toMillis(), LONGEST.toMillis()), null,
                Selected.label(request.optional("tag")));
    }

    /// A terminal may be started without a size: clients at one that has none send zeros, as protobuf does for what is left out.
    private static @Nullable Tty first(@Nullable Tty tty) {
        return tty == null ? null : new Tty(tty.cols() == 0 ? COLUMNS : tty.cols(), tty.rows() == 0 ? ROWS : tty.rows(), null);
    }

    private static @Nullable Tty tty(@Nullable Message pty) {
        if (pty == null) {
            return null;
        }
        var size = pty.message("size");
        return size == null ? new Tty(COLUMNS, ROWS, null) : new Tty((int) size.number("cols"), (int) size.number("rows"), null);
    }

    /// From now on: what was printed before is not told again.
    private void connect(Exchange http, Asked asked, Message request, Frames out) throws Exception {
        var exec = selected.any(asked.box(), request.message("process"));
        events.follow(http, asked.box(), exec, exec.outputBytes(), out);
    }

    private static Map<String, Object> info(Exec exec) {
        var config = new LinkedHashMap<String, Object>();
        config.put("cmd", exec.argv().getFirst());
        config.put("args", exec.argv().subList(1, exec.argv().size()));
        config.put("envs", Map.of()); // values of variables are not kept
        config.put("cwd", exec.cwd());
        var info = new LinkedHashMap<String, Object>();
        info.put("config", config);
        info.put("pid", exec.pid() == null ? 0 : exec.pid());
        var tag = Selected.tag(exec);
        if (tag != null) {
            info.put("tag", tag);
        }
        return info;
    }

    private Object update(Asked asked, Message request) {
        var exec = selected.running(asked.box(), request.message("process"));
        var size = tty(request.message("pty"));
        if (size != null) {
            execs.resize(asked.caller(), asked.id(), exec.id(), size);
        }
        return NOTHING;
    }

    private Object input(Exchange http, Asked asked, Message request) throws Exception {
        var exec = selected.running(asked.box(), request.message("process"));
        send(http, asked, exec, new ByteArrayInputStream(bytes(exec, request.message("input"))), false);
        return NOTHING;
    }

    private static byte[] bytes(Exec exec, @Nullable Message input) {
        byte[] bytes = input == null ? null : input.bytes(exec.tty() == null ? "stdin" : "pty");
        if (bytes == null) {
            throw Problem.field("input", "has nothing for this process", exec.tty() == null ? "stdin: it has no terminal" : "pty: it has a terminal");
        }
        return bytes;
    }

    private void send(Exchange http, Asked asked, Exec exec, InputStream data, boolean close) throws Exception {
        var asks = Deadline.of(http);
        Deadline.within(asks == null ? INPUT : asks, () -> {
            try {
                execs.stdin(asked.caller(), asked.id(), exec.id(), data, close);
            } catch (RedomaException refused) {
                unread(asked, exec, close, refused);
            }
            return true;
        });
    }

    /// Nobody reads it any more. A command that has just ended is not found, as a moment later; one that runs on has closed its end itself, so closing is done.
    private void unread(Asked asked, Exec exec, boolean close, RedomaException refused) {
        if (refused.code() != Code.WRONG_STATE) {
            throw refused;
        }
        if (execs.await(asked.caller(), asked.id(), exec.id(), ENDING).endedAt() != null) {
            throw Selected.notFound(exec);
        }
        if (!close) {
            throw refused;
        }
    }

    private Object inputs(Exchange http, Asked asked, Messages requests) throws Exception {
        Exec exec = null;
        for (var next = requests.next(); next != null; next = requests.next()) {
            var start = next.message("start");
            var data = next.message("data");
            if (start != null) {
                exec = selected.running(asked.box(), start.message("process"));
            } else if (data != null) {
                if (exec == null) {
                    throw Problem.field("data", "comes before start", "first start with the process");
                }
                send(http, asked, exec, new ByteArrayInputStream(bytes(exec, data.message("input"))), false);
            }
        }
        return NOTHING;
    }

    private Object signal(Asked asked, Message request) {
        var exec = selected.running(asked.box(), request.message("process"));
        boolean reached = switch (request.choice("signal")) {
            case "SIGNAL_SIGTERM", "15" -> execs.signal(asked.caller(), asked.id(), exec.id(), 15);
            case "SIGNAL_SIGKILL", "9" -> execs.kill(asked.caller(), asked.id(), exec.id());
            default -> throw Problem.field("signal", "is none of those that can be sent", "SIGNAL_SIGTERM or SIGNAL_SIGKILL");
        };
        if (!reached) {
            throw Selected.notFound(exec);
        }
        return NOTHING;
    }

    private Object closeStdin(Exchange http, Asked asked, Message request) throws Exception {
        var exec = selected.running(asked.box(), request.message("process"));
        if (exec.tty() != null) {
            throw Problem.of(Code.WRONG_STATE, "The input of a terminal cannot be closed.", "Send Ctrl-D.").raise();
        }
        send(http, asked, exec, InputStream.nullInputStream(), true);
        return NOTHING;
    }
}
