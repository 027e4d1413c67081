// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.NewWorkspace;
import dev.redoma.model.wire.Workspace;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// `git:URL#REF`: what git in a sandbox is to clone. `remote`: the host that it leads to; empty where it is a path in the sandbox itself.
record GitSource(String url, Optional<String> ref, Optional<Remote> remote) {
    private static final String PREFIX = "git:";
    private static final Pattern FILE = Pattern.compile("file:///[^\\p{Cntrl}\\s]{1,2000}");
    private static final Pattern WEB = Pattern.compile("(?<scheme>https?)://(?<host>[A-Za-z0-9._-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}])(:(?<port>[0-9]{1,5}))?(?<path>/[A-Za-z0-9._~/%+@:=,!&()*-]{0,2000})");
    private static final Pattern CREDENTIALS = Pattern.compile("[a-zA-Z+.-]+://[^/]*@.*", Pattern.DOTALL);
    private static final Pattern REF = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._/@+-]{0,250}");
    private static final Pattern PATH = Pattern.compile("[^\\p{Cntrl}-][^\\p{Cntrl}]{0,1000}");
    private static final String FIELD = "workspace.from";

    /// `host`: a name, or an address without brackets. `path` without a slash at its end.
    record Remote(String host, int port, String path) {}

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
        return new GitSource(url, Optional.ofNullable(ref), FILE.matcher(url).matches() ? Optional.empty() : Optional.of(remote(url)));
    }

    private static Remote remote(String url) {
        if (CREDENTIALS.matcher(url).matches() && !url.startsWith("ssh://git@")) {
            throw Problem.field(FIELD, "the URL has a name or token in it, which would be readable in the sandbox", "a URL without one");
        }
        if (!url.startsWith("https://") && !url.startsWith("http://")) {
            throw refused(url);
        }
        if (url.contains("?")) {
            throw Problem.field(FIELD, "the URL has a query in it, which may hold a token and would be readable in the sandbox", "a URL without one");
        }
        var web = WEB.matcher(url);
        if (!web.matches()) {
            throw Problem.field(FIELD, "the URL is none of a repository", "https://HOST[:PORT]/PATH, the host in its ASCII form, other characters as %XX");
        }
        var port = web.group("port") == null ? (web.group("scheme").equals("https") ? 443 : 80) : Integer.parseInt(web.group("port"));
        if (port < 1 || port > 65_535) {
            throw Problem.field(FIELD, "the port is none", "1 to 65535");
        }
        return new Remote(web.group("host").replaceAll("[\\[\\]]", ""), port, web.group("path").replaceAll("/+$", ""));
    }

    private static RuntimeException refused(String url) {
        int colon = url.indexOf(':');
        var scheme = colon <= 0 ? "none" : url.contains("://") ? url.substring(0, colon) : "ssh";
        return Problem.of(Code.NOT_OFFERED, FIELD + ": '" + RequestRules.shown(scheme) + "' is no way by which a workspace is cloned.",
                        "Name the repository by https://HOST/PATH under a policy that reaches it, or by file:///PATH where it is on a volume or in the template; or upload the workspace.")
                .with("field", FIELD).with("allowed", "https://HOST/PATH, http://HOST/PATH, file:///PATH").raise();
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
