// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Names;
import dev.redoma.kernel.Open;
import dev.redoma.model.wire.Change;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;

/// What comes, put beside the target's files: each is what the reviewed digest says, or nothing is applied. Not thread-safe.
final class IncomingFiles implements Incoming {
    private static final int CHUNK = 1 << 16;

    private final Dir dir;
    private final Map<String, String> names = new HashMap<>();
    private final Map<String, Change> comes;
    private final Set<String> there = new HashSet<>();

    IncomingFiles(Dir dir, Map<String, Change> comes) {
        this.dir = dir;
        this.comes = comes;
        comes.forEach((at, c) -> {
            if (c.type().equals("symlink")) {
                dir.symlink(Names.parse(String.valueOf(c.target())), at);
                there.add(at);
            } else {
                names.put(c.path(), at);
            }
        });
    }

    @Override
    public void file(String path, InputStream content) throws IOException {
        var at = names.get(path);
        if (at == null) {
            return;
        }
        var c = comes.get(at);
        if (c == null || !there.add(at)) {
            throw new NotApplied("the server sent '" + path + "' twice");
        }
        var hash = Tree.sha256();
        try (var file = dir.openAt(at, Open.WRONLY | Open.CREAT | Open.EXCL, 0600)) {
            var buffer = new byte[CHUNK];
            for (int n = content.read(buffer); n >= 0; n = content.read(buffer)) {
                hash.update(buffer, 0, n);
                file.write(Arrays.copyOf(buffer, n));
            }
            file.chmod(Integer.parseInt(String.valueOf(c.modeAfter()), 8));
            file.fsync();
        }
        if (!("sha256:" + HexFormat.of().formatHex(hash.digest())).equals(c.digestAfter())) {
            throw new NotApplied("'" + path + "' is not what was reviewed: it changed since, or was changed on the way", java.util.List.of(path));
        }
    }

    void whole() {
        comes.forEach((at, c) -> {
            if (!there.contains(at)) {
                throw new NotApplied("'" + c.path() + "' did not come: it is gone, or changed since the review", java.util.List.of(c.path()));
            }
        });
    }
}
