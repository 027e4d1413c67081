// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import com.google.protobuf.ByteString;
import dev.redoma.engine.proto.Pty;
import dev.redoma.engine.proto.Request;
import dev.redoma.engine.proto.Rlimit;
import dev.redoma.model.Amounts;
import dev.redoma.model.Code;
import dev.redoma.model.ExecId;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.Tty;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An exec as it was asked for, checked, with all defaults filled in. Whatever is refused is refused here, before anything exists.
record ExecOrder(ExecSpec spec, String cwd, String user, Map<String, String> env, List<ByteString> argv, List<ByteString> environ,
        long outputLimit) {
    static final int MAX_WORD = 131_071; // MAX_ARG_STRLEN less its NUL
    static final int MAX_ALL = 2 << 20;
    static final int MAX_LABEL = 256;
    static final long MAX_TIMEOUT = Duration.ofHours(24).toMillis();
    static final long MAX_OUTPUT = 4L << 30;
    static final long OUTPUT = 256L << 20;
    static final int WINDOW = 512 << 10;
    private static final int RLIMIT_NOFILE = 7;

    static ExecOrder of(ExecSpec spec, Live live) {
        var env = ExecEnv.merge(live.trusts(), live.env(), spec.env(), spec.tty());
        var argv = argv(spec.argv());
        var environ = ExecEnv.words(env);
        bounded("argv and env", argv.stream().mapToLong(w -> w.size() + 1L).sum() + environ.stream().mapToLong(w -> w.size() + 1L).sum());
        label(spec.label());
        tty("tty", spec.tty());
        timeout(spec.timeoutMs());
        return new ExecOrder(spec, cwd(spec, live), Words.user(spec.user() == null ? live.defaultUser() : spec.user()), env, argv, environ,
                output(spec.outputLimitBytes()));
    }

    private static List<ByteString> argv(List<String> argv) {
        if (argv.isEmpty() || argv.getFirst().isEmpty()) {
            throw Problem.field("argv", "names no program", "the program and its arguments, e.g. [\"sh\", \"-c\", \"…\"]");
        }
        var words = new ArrayList<ByteString>(argv.size());
        for (int i = 0; i < argv.size(); i++) {
            words.add(word("argv[" + i + "]", Words.bytes("argv[" + i + "]", argv.get(i))));
        }
        return words;
    }

    static ByteString word(String field, ByteString word) {
        if (word.size() > MAX_WORD) {
            throw tooLarge(field, word.size(), MAX_WORD).raise();
        }
        return word;
    }

    private static void bounded(String field, long size) {
        if (size > MAX_ALL) {
            throw tooLarge(field, size, MAX_ALL).raise();
        }
    }

    private static Problem tooLarge(String field, long size, long limit) {
        return Problem.of(Code.PAYLOAD_TOO_LARGE, field + " is too large: " + size + " bytes, limit " + limit + ".",
                        "Write it to a file, or send it to the command's stdin.")
                .with("field", field).with("size", size).with("limit", limit);
    }

    private static void label(@Nullable String label) {
        if (label != null && label.length() > MAX_LABEL) {
            throw Problem.field("label", "has " + label.length() + " characters", "at most " + MAX_LABEL);
        }
    }

    static void tty(String field, @Nullable Tty tty) {
        if (tty == null) {
            return;
        }
        if (tty.cols() < 1 || tty.cols() > 1000 || tty.rows() < 1 || tty.rows() > 1000) {
            throw Problem.field(field, tty.cols() + " × " + tty.rows() + " is no size of a terminal", "cols and rows from 1 to 1000");
        }
        var term = tty.term();
        if (term != null && !term.matches("[A-Za-z0-9._+-]{1,64}")) {
            throw Problem.field(field + ".term", "is no name of a terminal", "1 to 64 of letters, digits and . _ + -");
        }
    }

    private static void timeout(@Nullable Long millis) {
        if (millis != null && (millis < 1 || millis > MAX_TIMEOUT)) {
            throw Problem.field("timeoutMs", millis + " is out of range", Amounts.ofField("timeoutMs", 1, MAX_TIMEOUT) + ", or leave it out for none");
        }
    }

    private static long output(@Nullable Long limit) {
        if (limit != null && (limit < 1 || limit > MAX_OUTPUT)) {
            throw Problem.field("outputLimitBytes", limit + " is out of range", Amounts.ofField("outputLimitBytes", 1, MAX_OUTPUT));
        }
        return limit == null ? OUTPUT : limit;
    }

    /// Empty: the user's home.
    private static String cwd(ExecSpec spec, Live live) {
        var cwd = spec.cwd() == null ? live.defaultCwd() : spec.cwd();
        if (cwd == null) {
            return "";
        }
        Words.path("cwd", cwd);
        if (!cwd.startsWith("/")) {
            throw Problem.field("cwd", "'" + cwd + "' is relative", "an absolute path");
        }
        return cwd;
    }

    boolean stdin() {
        return Boolean.TRUE.equals(spec.stdin()) || spec.tty() != null;
    }

    /// As kept in the database: values of the environment stay out of it.
    ExecSpec kept() {
        return new ExecSpec(spec.argv(), spec.cwd(), null, spec.user(), spec.tty(), spec.stdin(), spec.timeoutMs(), outputLimit, spec.label());
    }

    Request request(ExecId id, Live live) {
        var exec = dev.redoma.engine.proto.Exec.newBuilder().setId(id.value()).addAllArgv(argv).addAllEnv(environ)
                .setCwd(ByteString.copyFromUtf8(cwd)).setUser(user).setStdin(stdin()).setWindow(WINDOW).setWaitForHost(true)
                .setNoNewPrivs(!live.sudo());
        long files = live.limits().openFiles();
        exec.addRlimits(Rlimit.newBuilder().setResource(RLIMIT_NOFILE).setSoft(files).setHard(files));
        var tty = spec.tty();
        if (tty != null) {
            exec.setPty(pty(tty));
        }
        return Request.newBuilder().setExec(exec).build();
    }

    static Pty pty(Tty tty) {
        return Pty.newBuilder().setCols(tty.cols()).setRows(tty.rows()).setTerm(ExecEnv.term(tty)).build();
    }
}
