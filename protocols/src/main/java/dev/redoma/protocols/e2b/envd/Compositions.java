// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.engine.Files;
import dev.redoma.http.Exchange;
import dev.redoma.http.Json;
import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.protocols.e2b.envd.Box.Asked;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// `POST /files/compose`: several files become one, in their order, and are gone then. Until the whole is in its place nothing of what was there before has changed.
final class Compositions {
    private static final long ORDER = 1L << 20;
    private static final int SOURCES = 1000;

    private final Files files;
    private final long largest;

    /// `largest`: most bytes of the whole.
    Compositions(Files files, long largest) {
        this.files = files;
        this.largest = largest;
    }

    public record Order(@Nullable String destination, @Nullable List<@Nullable String> source_paths, @Nullable String username) {}

    void post(Exchange http, Box box) throws Exception {
        var order = Json.lenient(http.body(ORDER).readAllBytes(), Order.class);
        var asked = new Asked(box, order.username() == null || order.username().isEmpty() ? Users.of(http) : order.username());
        if (order.destination() == null || order.destination().isEmpty()) {
            throw Problem.field("destination", "is missing", "a path");
        }
        var sources = Users.known(asked.user(), () -> sources(asked, order));
        var whole = files.writeWith(asked.caller(), asked.id(), Paths.in(order.destination()), asked.user(), new Files.NewFile(null, Map.of(), Entries.METADATA), new Joined(files, asked, sources));
        for (var source : new HashSet<>(sources)) {
            files.remove(asked.caller(), asked.id(), source, asked.user(), false);
        }
        var path = Paths.clean(whole.path());
        http.json(200, Map.of("path", path, "name", Paths.name(path), "type", "file"));
    }

    /// Each is there, is a file and is not what is to be made; as absolute paths.
    private List<String> sources(Asked asked, Order order) {
        var given = order.source_paths();
        if (given == null || given.isEmpty() || given.size() > SOURCES) {
            throw Problem.field("source_paths", given == null || given.isEmpty() ? "is empty" : given.size() + " paths", "1 to " + SOURCES + " paths");
        }
        var target = absolute(asked, order.destination() + "");
        var sources = new ArrayList<String>();
        long size = 0;
        for (var path : given) {
            if (path == null || path.isEmpty()) {
                throw Problem.field("source_paths", "one is empty", "paths");
            }
            var info = files.stat(asked.caller(), asked.id(), Paths.in(path), asked.user(), true);
            if (!info.type().equals("file")) {
                throw Problem.field("source_paths", "'" + info.path() + "' is a " + info.type(), "regular files");
            }
            if (Paths.clean(info.path()).equals(target)) {
                throw Problem.field("source_paths", "'" + info.path() + "' is the destination as well", "other files");
            }
            sources.add(Paths.clean(info.path()));
            size += info.size();
        }
        if (size > largest) {
            throw Problem.of(Code.PAYLOAD_TOO_LARGE, "Together they have " + new Bytes(size) + ", and a file may have " + new Bytes(largest) + ".", "Compose less.").raise();
        }
        return sources;
    }

    /// What is asked for need not be there yet, and the home from which it may be meant is.
    private String absolute(Asked asked, String path) {
        var in = Paths.in(path);
        return Paths.clean(in.startsWith("/") ? in : files.stat(asked.caller(), asked.id(), ".", asked.user(), true).path() + "/" + in);
    }
}
