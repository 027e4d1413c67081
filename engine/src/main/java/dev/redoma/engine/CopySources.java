// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.recipe.Glob;
import dev.redoma.kernel.Names;
import dev.redoma.pool.TarIndex;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/// Finds what a `COPY` names among the files of a build. Links are followed within these files, as if they were all there is.
final class CopySources {
    private static final int LINKS = 40;
    private static final int MATCHES = 100_000;

    private final TarIndex files;

    CopySources(TarIndex files) {
        this.files = files;
    }

    /// Something named, under the name it was found by, and what it leads to.
    record Found(String name, TarIndex.Entry entry) {}

    List<Found> find(String source) {
        var parts = parts(source);
        if (parts.isEmpty()) {
            return List.of(new Found("", root()));
        }
        List<String> paths = List.of("");
        for (String part : parts) {
            var next = new ArrayList<String>();
            for (String path : paths) {
                step(path, part, next);
            }
            if (next.size() > MATCHES) {
                throw BuildState.refused("'" + shown(source) + "' matches more than " + MATCHES + " names");
            }
            paths = next;
        }
        var found = paths.stream().map(p -> new Found(BuildPaths.name(p), resolve(p, source))).toList();
        if (found.isEmpty()) {
            throw BuildState.refused("there is no '" + shown(source) + "' among the files of the build");
        }
        return found;
    }

    /// `..` is refused wherever it stands: what it would lead to depends on links.
    private static List<String> parts(String source) {
        var parts = new ArrayList<String>();
        for (String part : source.split("/")) {
            if (part.equals("..")) {
                throw BuildState.refused("'" + shown(source) + "' leads out of the files of the build");
            }
            if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        return parts;
    }

    private void step(String path, String part, List<String> next) {
        String prefix = path.isEmpty() ? "" : path + "/";
        if (!Glob.isPattern(part)) {
            next.add(prefix + part);
            return;
        }
        var directory = path.isEmpty() ? root() : resolve(path, path);
        for (TarIndex.Entry child : files.children(directory.path())) {
            String name = BuildPaths.name(child.path());
            if (Glob.matches(part, name)) {
                next.add(prefix + name);
            }
        }
    }

    private static TarIndex.Entry root() {
        return new TarIndex.Entry("", TarIndex.Kind.DIRECTORY, 0755, 0, java.time.Instant.EPOCH, "", "", 0);
    }

    /// What a path leads to.
    private TarIndex.Entry resolve(String path, String source) {
        Deque<String> left = new ArrayDeque<>(Arrays.asList(path.split("/")));
        Deque<String> at = new ArrayDeque<>();
        TarIndex.Entry here = root();
        int links = 0;
        while (!left.isEmpty()) {
            String part = left.poll();
            if (part.isEmpty() || part.equals(".")) {
                continue;
            }
            if (part.equals("..")) {
                at.pollLast();
                here = at.isEmpty() ? root() : entry(at, source);
                continue;
            }
            at.addLast(part);
            here = entry(at, source);
            if (here.kind() == TarIndex.Kind.SYMLINK) {
                if (++links > LINKS) {
                    throw BuildState.refused("'" + shown(source) + "' leads through more than " + LINKS + " links");
                }
                at.pollLast();
                if (here.link().startsWith("/")) {
                    at.clear();
                }
                var target = here.link().split("/");
                for (int i = target.length - 1; i >= 0; i--) {
                    left.addFirst(target[i]);
                }
                here = at.isEmpty() ? root() : entry(at, source);
            }
        }
        return here;
    }

    private TarIndex.Entry entry(Deque<String> at, String source) {
        return files.find(String.join("/", at))
                .orElseThrow(() -> BuildState.refused("there is no '" + shown(source) + "' among the files of the build"));
    }

    static String shown(String name) {
        return RequestRules.shown(Names.printable(name));
    }
}
