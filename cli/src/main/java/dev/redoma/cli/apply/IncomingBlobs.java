// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import dev.redoma.kernel.Names;
import dev.redoma.model.wire.Change;
import java.io.IOException;
import java.io.InputStream;
import java.security.DigestInputStream;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;

/// What comes, as objects that nothing names yet.
final class IncomingBlobs implements Incoming {
    private final ObjectInserter inserter;
    private final Map<String, Change> comes;
    private final Map<String, ObjectId> there = new HashMap<>();

    IncomingBlobs(ObjectInserter inserter, Map<String, Change> comes) throws IOException {
        this.inserter = inserter;
        this.comes = comes;
        for (var c : comes.values()) {
            if (c.type().equals("symlink")) {
                there.put(c.path(), inserter.insert(Constants.OBJ_BLOB, Names.encode(Names.parse(String.valueOf(c.target())))));
            }
        }
    }

    @Override
    public void file(String path, InputStream content) throws IOException {
        var c = comes.get(path);
        if (c == null || c.type().equals("symlink")) {
            return;
        }
        if (there.containsKey(path)) {
            throw new NotApplied("the server sent '" + path + "' twice");
        }
        var size = c.sizeAfter();
        var digest = Tree.sha256();
        try (var in = new DigestInputStream(content, digest)) {
            var id = size == null ? ObjectId.zeroId() : inserter.insert(Constants.OBJ_BLOB, size, in);
            if (size == null || in.read() >= 0 || !("sha256:" + HexFormat.of().formatHex(digest.digest())).equals(c.digestAfter())) {
                throw moved(path);
            }
            there.put(path, id);
        } catch (java.io.EOFException e) {
            throw moved(path);
        }
    }

    private static NotApplied moved(String path) {
        return new NotApplied("'" + path + "' is not what was reviewed: it changed since, or was changed on the way", List.of(path));
    }

    /// By their paths; all of them.
    Map<String, ObjectId> whole() {
        comes.keySet().forEach(path -> {
            if (!there.containsKey(path)) {
                throw new NotApplied("'" + path + "' did not come: it is gone, or changed since the review", List.of(path));
            }
        });
        return there;
    }
}
