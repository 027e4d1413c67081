// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.engine.Files;
import dev.redoma.http.Exchange;
import dev.redoma.http.connect.Connect;
import dev.redoma.http.connect.Message;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.FileInfo;
import dev.redoma.protocols.e2b.envd.Box.Asked;
import java.util.Comparator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// `filesystem.Filesystem`: files of the engine under the names these clients know.
final class Filesystem {
    private static final Map<String, Object> NOTHING = Map.of();

    private final Files files;
    private final Entries entries;
    private final Watches watches;

    Filesystem(Files files, Entries entries, Watches watches) {
        this.files = files;
        this.entries = entries;
        this.watches = watches;
    }

    void call(String method, Exchange http, Asked asked) throws Exception {
        switch (method) {
            case "Stat" -> unary(http, asked, request -> entry(asked, path(request)));
            case "MakeDir" -> unary(http, asked, request -> makeDir(asked, path(request)));
            case "Move" -> unary(http, asked, request -> move(asked, request));
            case "ListDir" -> unary(http, asked, request -> list(asked, request));
            case "Remove" -> unary(http, asked, request -> remove(asked, path(request)));
            case "WatchDir" -> Connect.streaming(http, (request, out) -> Users.known(asked.user(), () -> watches.stream(http, asked, request, out)));
            case "CreateWatcher" -> unary(http, asked, request -> watches.create(asked, request));
            case "GetWatcherEvents" -> unary(http, asked, request -> watches.events(asked, request.text("watcherId")));
            case "RemoveWatcher" -> unary(http, asked, request -> watches.remove(asked, request.text("watcherId")));
            default -> throw Problem.of(Code.ROUTE_NOT_FOUND, "filesystem.Filesystem has no method " + method + ".", "See the protocol.").raise();
        }
    }

    private static void unary(Exchange http, Asked asked, Connect.Unary call) throws Exception {
        Connect.unary(http, request -> Users.known(asked.user(), () -> call.answer(request)));
    }

    static String path(Message request) {
        return Paths.in(request.text("path"));
    }

    private Map<String, Object> entry(Asked asked, String path) {
        return Map.of("entry", entries.entry(asked, path));
    }

    private Object makeDir(Asked asked, String path) {
        var there = find(asked, path, true);
        if (there != null) {
            throw there.type().equals("directory")
                    ? Problem.of(Code.FILE_EXISTS, "directory already exists: " + there.path(), "Use it.").raise()
                    : Problem.field("path", "is there and is no directory", "another path");
        }
        files.mkdir(asked.caller(), asked.id(), path, asked.user(), null);
        return entry(asked, path);
    }

    private @Nullable FileInfo find(Asked asked, String path, boolean follow) {
        try {
            return files.stat(asked.caller(), asked.id(), path, asked.user(), follow);
        } catch (RedomaException absent) {
            if (absent.code() == Code.FILE_NOT_FOUND) {
                return null;
            }
            throw absent;
        }
    }

    private Object move(Asked asked, Message request) {
        var from = Paths.in(request.text("source"));
        var to = Paths.in(request.text("destination"));
        files.stat(asked.caller(), asked.id(), from, asked.user(), false);
        var parent = Paths.parent(to);
        if (find(asked, parent, true) == null) {
            files.mkdir(asked.caller(), asked.id(), parent, asked.user(), null);
        }
        files.move(asked.caller(), asked.id(), from, to, asked.user());
        return entry(asked, to);
    }

    private Object list(Asked asked, Message request) {
        var path = path(request);
        int depth = (int) Math.max(1, request.number("depth"));
        var root = files.stat(asked.caller(), asked.id(), path, asked.user(), true);
        if (!root.type().equals("directory")) {
            throw Problem.field("path", root.path() + " is not a directory", "a directory");
        }
        var found = files.list(asked.caller(), asked.id(), path, asked.user(), depth).stream()
                .sorted(Comparator.comparing(i -> Paths.clean(i.path()), Paths.ORDER)).map(info -> entries.entry(asked, info)).toList();
        return Map.of("entries", found);
    }

    private Object remove(Asked asked, String path) {
        try {
            files.remove(asked.caller(), asked.id(), path, asked.user(), true);
        } catch (RedomaException absent) {
            if (absent.code() != Code.FILE_NOT_FOUND) {
                throw absent;
            }
        }
        return NOTHING;
    }
}
