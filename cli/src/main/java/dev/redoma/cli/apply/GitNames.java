// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import dev.redoma.kernel.Names;
import java.util.List;
import java.util.Locale;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectChecker;
import org.eclipse.jgit.lib.Repository;

/// Names that come from a sandbox and go into a tree that others check out, on whatever file system.
final class GitNames {
    private static final ObjectChecker EVERYWHERE = new ObjectChecker().setSafeForMacOS(true);
    /// What HFS+ passes over in names.
    private static final String IGNORED = "[\\u200c-\\u200f\\u202a-\\u202e\\u206a-\\u206f\\ufeff]";

    private GitNames() {}

    /// A branch as people name it: not a whole ref, nothing that git would take for an option or an id.
    static boolean branch(String name) {
        return name.length() <= 200 && !name.equals("HEAD") && !name.startsWith("-") && !name.startsWith("refs/") && !name.matches("[0-9a-fA-F]{40}|[0-9a-fA-F]{64}") && Repository.isValidRefName(Constants.R_HEADS + name);
    }

    /// The names of a path, none of which is git's on any file system.
    static List<String> parts(String path, String type) {
        var parts = Tree.parts(path);
        for (var part : parts) {
            var bytes = Names.encode(part);
            try {
                EVERYWHERE.checkPathSegment(bytes, 0, bytes.length);
            } catch (CorruptObjectException e) {
                throw refused(path);
            }
            if (bytes.length > 4096 || gits(part)) {
                throw refused(path);
            }
        }
        if (type.equals("symlink") && plain(parts.getLast()).matches("\\.gitmodules|gitmod~[0-9]")) {
            throw new NotApplied("'" + path + "' is a link, which git refuses of this name", List.of(path));
        }
        return parts;
    }

    private static NotApplied refused(String path) {
        return new NotApplied("'" + path + "' is a name that git, or a file system on which it is checked out, takes for git's own", List.of(path));
    }

    /// NTFS takes `\` for a separator, ends a name at `:`, and passes over blanks and dots at its end.
    private static boolean gits(String part) {
        for (var name : part.split("\\\\")) {
            var plain = plain(name);
            if (plain.equals(".git") || plain.matches("git~[0-9]")) {
                return true;
            }
        }
        return false;
    }

    private static String plain(String name) {
        var text = name.replaceAll(IGNORED, "").toLowerCase(Locale.ROOT);
        int stream = text.indexOf(':');
        return (stream < 0 ? text : text.substring(0, stream)).replaceAll("[ .]+$", "");
    }
}
