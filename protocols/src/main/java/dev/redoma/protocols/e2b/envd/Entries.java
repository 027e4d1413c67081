// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.engine.Files;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.FileInfo;
import dev.redoma.protocols.e2b.envd.Box.Asked;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Facts of files as `EntryInfo`. Of a link, type and mode are those of what it leads to, the rest its own.
final class Entries {
    /// Attributes under this prefix are metadata.
    static final String METADATA = "user.e2b.";

    private static final Map<String, String> TYPES = Map.of("file", "FILE_TYPE_FILE", "directory", "FILE_TYPE_DIRECTORY", "symlink", "FILE_TYPE_SYMLINK");
    /// Letters of Go before the permissions.
    private static final Map<String, String> LETTERS = Map.of("directory", "d", "symlink", "L", "fifo", "p", "socket", "S", "block", "D", "char", "Dc");

    private final Files files;

    Entries(Files files) {
        this.files = files;
    }

    Map<String, Object> entry(Asked asked, String path) {
        return entry(asked, files.stat(asked.caller(), asked.id(), path, asked.user(), false));
    }

    Map<String, Object> entry(Asked asked, FileInfo info) {
        var path = Paths.clean(info.path());
        boolean link = info.type().equals("symlink");
        var target = link ? target(asked, path) : info;
        var entry = new LinkedHashMap<String, Object>();
        entry.put("name", Paths.name(path));
        entry.put("type", target == null ? "FILE_TYPE_UNSPECIFIED" : TYPES.getOrDefault(target.type(), "FILE_TYPE_UNSPECIFIED"));
        entry.put("path", path);
        entry.put("size", Long.toString(info.size()));
        entry.put("mode", target == null ? 0 : bits(target) & 0777);
        entry.put("permissions", permissions(info));
        entry.put("owner", info.owner());
        entry.put("group", info.group());
        entry.put("modifiedTime", info.modifiedAt().toString());
        if (link) {
            entry.put("symlinkTarget", target == null || target.real() == null ? path : target.real());
        }
        var metadata = metadata(info);
        if (!metadata.isEmpty()) {
            entry.put("metadata", metadata);
        }
        return entry;
    }

    /// Null where it leads nowhere.
    private @Nullable FileInfo target(Asked asked, String path) {
        try {
            return files.stat(asked.caller(), asked.id(), path, asked.user(), true);
        } catch (RedomaException dangling) {
            if (dangling.code() == Code.FILE_NOT_FOUND || dangling.code() == Code.FILE_REFUSED || dangling.code() == Code.FORBIDDEN) {
                return null;
            }
            throw dangling;
        }
    }

    static Map<String, String> metadata(FileInfo info) {
        var metadata = new TreeMap<String, String>();
        var xattrs = info.xattrs();
        if (xattrs != null) {
            xattrs.forEach((name, value) -> {
                if (name.startsWith(METADATA)) {
                    metadata.put(name.substring(METADATA.length()), value);
                }
            });
        }
        return metadata;
    }

    private static int bits(FileInfo info) {
        return Integer.parseInt(info.mode(), 8);
    }

    static String permissions(FileInfo info) {
        int bits = bits(info);
        var text = new StringBuilder(LETTERS.getOrDefault(info.type(), ""));
        text.append((bits & 04000) != 0 ? "u" : "").append((bits & 02000) != 0 ? "g" : "").append((bits & 01000) != 0 ? "t" : "");
        if (text.isEmpty()) {
            text.append('-');
        }
        for (int i = 8; i >= 0; i--) {
            text.append((bits >> i & 1) == 1 ? "rwx".charAt((8 - i) % 3) : '-');
        }
        return text.toString();
    }
}
