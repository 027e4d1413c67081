// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import org.jspecify.annotations.Nullable;

/// `SANDBOX:path`; a local path has no colon before its first slash.
record RemotePath(String sandbox, String path) {

    static @Nullable RemotePath of(String text) {
        int colon = text.indexOf(':');
        int slash = text.indexOf('/');
        if (colon <= 0 || slash >= 0 && slash < colon) {
            return null;
        }
        var path = text.substring(colon + 1);
        return new RemotePath(text.substring(0, colon), path.isEmpty() ? "." : path);
    }

    static RemotePath required(String text) {
        var remote = of(text);
        if (remote == null) {
            throw new Failed(Exit.USAGE, "'" + text + "' is not of the form SANDBOX:PATH", "Write the sandbox's id or name, a colon and the path.");
        }
        return remote;
    }

    String name() {
        var plain = path.replaceAll("/+$", "");
        return plain.substring(plain.lastIndexOf('/') + 1);
    }

    RemotePath child(String name) {
        return new RemotePath(sandbox, path.endsWith("/") ? path + name : path + "/" + name);
    }
}
