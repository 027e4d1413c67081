// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.engine.Files;
import dev.redoma.engine.Volumes;
import dev.redoma.http.ErrorForm;
import dev.redoma.http.Exchange;
import dev.redoma.http.Query;
import dev.redoma.http.Route;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.FileInfo;
import dev.redoma.protocols.e2b.SandboxTokens;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The content of volumes, opened by the token that goes with a volume and by nothing else.
final class VolumeContent {
    private static final String BASE = "/volumecontent/{volume}";
    private static final String BYTES = "application/octet-stream";
    private static final Caller FINDER = new Caller("e2b-volume-token", TenantId.DEFAULT, Set.of(Scope.OPERATE));

    private final Volumes volumes;
    private final Files files;
    private final SandboxTokens tokens;
    private final long largest;

    VolumeContent(Volumes volumes, Files files, SandboxTokens tokens, long largest) {
        this.volumes = volumes;
        this.files = files;
        this.tokens = tokens;
        this.largest = largest;
    }

    public record Entry(String name, String type, String path, long size, int mode, long uid, long gid, Instant atime, Instant mtime, Instant ctime, @Nullable String target) {}

    public record Changes(@Nullable Long uid, @Nullable Long gid, @Nullable Integer mode) {}

    public record Refused(String code, String message) {}

    private static final ErrorForm FORM = new ErrorForm() {
        @Override
        public Object body(Problem problem) {
            return new Refused(problem.code().wire(), ErrorBody.text(problem));
        }
    };

    private interface Action {
        void run(Exchange http, Caller caller, String volume, String path) throws IOException;
    }

    List<Route> routes() {
        return List.of(
                route("GET", "/path", (http, caller, volume, path) -> http.json(200, entry(files.stat(caller, volume, path, null, false)))),
                route("PATCH", "/path", this::change),
                route("DELETE", "/path", (http, caller, volume, path) -> {
                    files.stat(caller, volume, path, null, false);
                    files.remove(caller, volume, path, null, true);
                    http.nothing();
                }),
                route("GET", "/dir", (http, caller, volume, path) -> http.json(200,
                        files.list(caller, volume, path, null, (int) http.query().number("depth", 1, 1, 64)).stream().map(VolumeContent::entry).toList())),
                route("POST", "/dir", this::makeDir),
                route("GET", "/file", this::read),
                route("PUT", "/file", this::write));
    }

    private Route route(String method, String path, Action action) {
        return new Route(method, BASE + path, http -> {
            http.errors(FORM);
            var volume = http.parameter("volume");
            var bearer = http.header("Authorization");
            if (bearer == null || !bearer.startsWith("Bearer ") || !SandboxTokens.same(tokens.volume(volume), bearer.substring(7).strip())) {
                throw Problem.of(Code.UNAUTHENTICATED, "This is not the token of the volume.", "Connect to the volume again.").raise();
            }
            // The token is this volume's own, so its tenant is the caller's.
            var tenant = new TenantId(volumes.get(FINDER, volume).tenant());
            action.run(http, new Caller(FINDER.key(), tenant, Set.of(Scope.READ, Scope.EXEC)), volume, http.query().need("path"));
        });
    }

    private void change(Exchange http, Caller caller, String volume, String path) throws IOException {
        var asked = Requests.body(http, Changes.class);
        http.json(200, entry(files.attributes(caller, volume, path, null, mode(asked.mode()), owner(asked.uid(), asked.gid()), false)));
    }

    private void makeDir(Exchange http, Caller caller, String volume, String path) throws IOException {
        if (!http.query().flag("force", false) && exists(caller, volume, path)) {
            throw Problem.of(Code.FILE_EXISTS, path + " is there already.", "Choose another, or send force.").raise();
        }
        http.json(201, entry(files.mkdir(caller, volume, path, owner(http.query()), mode(http.query()))));
    }

    private boolean exists(Caller caller, String volume, String path) {
        try {
            files.stat(caller, volume, path, null, false);
            return true;
        } catch (RedomaException absent) {
            if (absent.code() == Code.FILE_NOT_FOUND) {
                return false;
            }
            throw absent;
        }
    }

    private void read(Exchange http, Caller caller, String volume, String path) throws IOException {
        files.read(caller, volume, path, null, 0, Long.MAX_VALUE, info -> http.stream(200, BYTES, info.size()));
    }

    private void write(Exchange http, Caller caller, String volume, String path) throws IOException {
        int slash = path.lastIndexOf('/');
        if (http.query().flag("force", false) && slash > 0 && !exists(caller, volume, path.substring(0, slash))) {
            files.mkdir(caller, volume, path.substring(0, slash), owner(http.query()), null);
        }
        try (var body = http.body(largest)) {
            http.json(201, entry(files.write(caller, volume, path, owner(http.query()), mode(http.query()), body)));
        }
    }

    private static @Nullable String owner(Query query) {
        var uid = query.get("uid");
        var gid = query.get("gid");
        return owner(uid == null ? null : query.number("uid", 0, 0, 65_535), gid == null ? null : query.number("gid", 0, 0, 65_535));
    }

    /// Null: the volume's own.
    private static @Nullable String owner(@Nullable Long uid, @Nullable Long gid) {
        if (uid == null && gid == null) {
            return null;
        }
        if (uid == null) {
            throw Problem.field("uid", "is missing beside gid", "both");
        }
        return gid == null ? String.valueOf(uid) : uid + ":" + gid;
    }

    private static @Nullable String mode(Query query) {
        return query.get("mode") == null ? null : mode((int) query.number("mode", 0, 0, 07777));
    }

    private static @Nullable String mode(@Nullable Integer mode) {
        if (mode != null && (mode < 0 || mode > 07777)) {
            throw Problem.field("mode", "'" + mode + "' is none", "0 to 4095");
        }
        return mode == null ? null : String.format("%04o", mode);
    }

    private static Entry entry(FileInfo f) {
        var name = f.path().substring(f.path().lastIndexOf('/') + 1);
        var type = switch (f.type()) {
            case "file", "directory", "symlink" -> f.type();
            default -> "unknown";
        };
        return new Entry(name, type, f.path().startsWith("/") ? f.path() : "/" + f.path(), f.size(), Integer.parseInt(f.mode(), 8), f.uid(), f.gid(), known(f.accessedAt(), f), f.modifiedAt(),
                known(f.changedAt(), f), f.target());
    }

    private static Instant known(@Nullable Instant time, FileInfo f) {
        return time == null ? f.modifiedAt() : time;
    }
}
