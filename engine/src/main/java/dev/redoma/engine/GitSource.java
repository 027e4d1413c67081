// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.NewWorkspace;
import dev.redoma.model.wire.Workspace;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// `git:URL#REF`: what git in a sandbox is to clone. A sandbox has no network, so a URL leads to what is in it: `file:///…`.
record GitSource(String url, Optional<String> ref) {
    private static final String PREFIX = "git:";
    private static final Pattern FILE = Pattern.compile("file:///[^\\p{Cntrl}\\s]{1,2000}");
    private static final Pattern REF = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._/@+-]{0,250}");
    private static final Pattern PATH = Pattern.compile("[^\\p{Cntrl}-][^\\p{Cntrl}]{0,1000}");
    private static final String FIELD = "workspace.from";

    static GitSource of(String from) {
        if (!from.startsWith(PREFIX)) {
            throw Problem.field(FIELD, "is no source that is known", "git:URL#REF");
        }
        var rest = from.substring(PREFIX.length());
        int hash = rest.indexOf('#');
        var url = hash < 0 ? rest : rest.substring(0, hash);
        var ref = hash < 0 ? null : rest.substring(hash + 1);
        if (ref != null && (!REF.matcher(ref).matches() || ref.contains(".."))) {
            throw Problem.field(FIELD, "the ref is none", "the name of a branch or tag, or a commit id");
        }
        if (!FILE.matcher(url).matches()) {
            throw refused(url);
        }
        return new GitSource(url, Optional.ofNullable(ref));
    }

    private static RuntimeException refused(String url) {
        boolean credentials = url.matches("[a-zA-Z+.-]+://[^/]*@.*");
        if (credentials && !url.startsWith("ssh://git@")) {
            return Problem.field(FIELD, "the URL has a name or token in it, which would be readable in the sandbox", "a URL without one");
        }
        int colon = url.indexOf(':');
        var scheme = colon <= 0 ? "none" : url.contains("://") ? url.substring(0, colon) : "ssh";
        return Problem.of(Code.NOT_OFFERED, FIELD + ": '" + RequestRules.shown(scheme) + "' leads out of the sandbox, and sandboxes have no network yet.",
                        "Put the repository on a volume or into the template and name it by file:///PATH, or upload the workspace.")
                .with("field", FIELD).with("allowed", "file:///PATH").raise();
    }

    /// As the sandbox's row will have it until it is filled.
    static @Nullable Workspace wanted(@Nullable NewWorkspace asked) {
        if (asked == null) {
            return null;
        }
        of(asked.from());
        var path = asked.path() == null ? "workspace" : asked.path();
        if (!PATH.matcher(path).matches() || ("/" + path + "/").contains("/../")) {
            throw Problem.field("workspace.path", "'" + RequestRules.shown(path) + "' is no place for it", "a path without '..', from the user's home or absolute");
        }
        return new Workspace(asked.from(), path, null);
    }
}
