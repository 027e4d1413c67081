// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import com.google.protobuf.ByteString;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Tty;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The whole environment of a process: our defaults, under the sandbox's, under the exec's. Nothing of the server's own. The guest adds
/// HOME, USER, LOGNAME and SHELL where they are absent.
final class ExecEnv {
    static final int MAX_ENTRIES = 4096;

    /// PAGER and GIT_*: nobody may be there to page or to type a password, and a program that waits for it never ends.
    private static final Map<String, String> DEFAULTS = Map.of(
            "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG", "C.UTF-8",
            "PAGER", "cat",
            "GIT_PAGER", "cat",
            "GIT_TERMINAL_PROMPT", "0",
            "DEBIAN_FRONTEND", "noninteractive");

    private ExecEnv() {}

    /// `trusts`: its policy intercepts TLS.
    static Map<String, String> merge(boolean trusts, Map<String, String> sandbox, @Nullable Map<String, String> exec, @Nullable Tty tty) {
        var all = new TreeMap<>(DEFAULTS);
        if (trusts) {
            all.putAll(TrustFiles.variables());
        }
        if (tty != null) {
            all.put("TERM", term(tty));
        }
        all.putAll(sandbox);
        if (exec != null) {
            exec.forEach(ExecEnv::check);
            all.putAll(exec);
        }
        if (all.size() > MAX_ENTRIES) {
            throw Problem.field("env", "has " + all.size() + " entries", "at most " + MAX_ENTRIES);
        }
        return all;
    }

    static String term(Tty tty) {
        return tty.term() == null ? "xterm-256color" : tty.term();
    }

    /// Also for the environment of a sandbox at create.
    static void check(String name, String value) {
        if (name.isEmpty() || name.indexOf('=') >= 0) {
            throw Problem.field("env", "'" + name + "' is no name of a variable", "names without '=' that are not empty");
        }
        ExecOrder.word("env." + name, word(name, value));
    }

    private static ByteString word(String name, String value) {
        return Words.bytes("env", name + "=" + value);
    }

    static List<ByteString> words(Map<String, String> env) {
        var words = new ArrayList<ByteString>(env.size());
        env.forEach((name, value) -> words.add(word(name, value)));
        return words;
    }
}
