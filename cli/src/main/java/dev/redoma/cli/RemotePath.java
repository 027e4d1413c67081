// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.client.SandboxFiles;
import org.jspecify.annotations.Nullable;

/// `SANDBOX:path`, or `volume/NAME:path`; another local path has no colon before its first slash (write `./volume/…` for one that looks like a volume's).
record RemotePath(boolean volume, String owner, String path) {
    private static final String VOLUME = "volume/";

    static @Nullable RemotePath of(String text) {
        boolean volume = text.startsWith(VOLUME);
        var rest = volume ? text.substring(VOLUME.length()) : text;
        int colon = rest.indexOf(':');
        int slash = rest.indexOf('/');
        if (colon <= 0 || slash >= 0 && slash < colon) {
            return null;
        }
        var path = rest.substring(colon + 1);
        return new RemotePath(volume, rest.substring(0, colon), path.isEmpty() ? "." : path);
    }

    /// `order`: which argument it is, as nobody knows who gave them the other way round.
    static RemotePath required(String text, String order) {
        var remote = of(text);
        if (remote == null) {
            throw new Failed(Exit.USAGE, "'" + Text.safe(text) + "' is not of the form SANDBOX:PATH; " + order + ".", "Write the sandbox's id or name (or volume/NAME), a colon and the path.");
        }
        return remote;
    }

    SandboxFiles files(RedomaClient client) {
        return volume ? client.volumes().files(owner) : SandboxName.in(client, owner).files();
    }

    RemotePath with(String other) {
        return new RemotePath(volume, owner, other);
    }

    String name() {
        var plain = path.replaceAll("/+$", "");
        return plain.substring(plain.lastIndexOf('/') + 1);
    }

    RemotePath child(String name) {
        return new RemotePath(volume, owner, path.endsWith("/") ? path + name : path + "/" + name);
    }
}
