// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.delete;
import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;
import static dev.redoma.server.api.Operation.put;

import dev.redoma.engine.Files;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.FileInfo;
import dev.redoma.pool.Outgoing;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Files of a sandbox, and in the same shapes those of a volume.
final class FileRoutes {
    static final String TAR = "application/x-tar";
    static final String ZIP = "application/zip";

    private final Files files;
    private final FileAnswer answer;
    private final long largest;
    private final String base;
    private final String noun;

    private FileRoutes(Files files, long largest, String base, String noun) {
        this.base = base;
        this.noun = noun;
        this.files = files;
        this.answer = new FileAnswer(files);
        this.largest = largest;
    }

    static FileRoutes ofSandboxes(Files files, long largest) {
        return new FileRoutes(files, largest, "/v1/sandboxes/{id}", "");
    }

    static FileRoutes ofVolumes(Files files, long largest) {
        return new FileRoutes(files, largest, "/v1/volumes/{id}", "Volume");
    }

    /// Body of `POST …/files/mkdir`.
    public record Mkdir(String path, @Nullable String user, @Nullable String mode) {}

    /// Body of `POST …/files/move`.
    public record Move(String from, String to, @Nullable String user) {}

    /// Body of `POST …/files/attributes`.
    public record Attributes(String path, @Nullable String user, @Nullable String mode, @Nullable String owner, @Nullable Boolean recursive) {}

    List<Operation> operations() {
        var all = new ArrayList<>(List.of(
                at(get(base + "/files/stat", named("statFile"), "Facts of one file")).needs(Scope.READ).query("follow", "boolean", "follow a symlink (default true)")
                        .answers(200, FileInfo.class)
                        .by(c -> c.json(files.stat(c.caller(), c.sandbox(), path(c), user(c), c.query().flag("follow", true)))),
                at(get(base + "/files/list", named("listFiles"), "What is in a directory")).needs(Scope.READ).query("depth", "integer", "levels, 1 to 32")
                        .answersItems(FileInfo.class)
                        .by(c -> c.json(new Items<>(files.list(c.caller(), c.sandbox(), path(c), user(c), (int) c.query().number("depth", 1, 1, 32))))),
                at(get(base + "/files", named("readFile"), "Its bytes, or a range of them")).needs(Scope.READ).header("Range", "one byte range")
                        .answersBytes(200, "application/octet-stream").answersBytes(206, "application/octet-stream").by(answer::send),
                at(put(base + "/files", named("writeFile"), "Writes a file, whole or not at all")).needs(Scope.EXEC).query("mode", "string", "octal, e.g. 0644")
                        .queries("xattr", "string", "an attribute, user.NAME=VALUE")
                        .takes("application/octet-stream").answers(200, FileInfo.class).by(this::write),
                at(delete(base + "/files", named("removeFile"), "Removes a file or directory")).needs(Scope.EXEC).query("recursive", "boolean", "with all that is in it")
                        .answersNothing().by(this::remove),
                post(base + "/files/mkdir", named("makeDirectory"), "Makes a directory and those above it").needs(Scope.EXEC).takes(Mkdir.class)
                        .answers(200, FileInfo.class).by(this::mkdir),
                post(base + "/files/move", named("moveFile"), "Renames").needs(Scope.EXEC).takes(Move.class).answersNothing().by(this::move),
                post(base + "/files/attributes", named("setAttributes"), "Changes mode and owner").needs(Scope.EXEC).takes(Attributes.class)
                        .answers(200, FileInfo.class).by(this::attributes),
                at(get(base + "/archive", named("readArchive"), "A tar or zip of what is below a path")).needs(Scope.READ)
                        .query("format", "string", "tar (default) or zip").queries("include", "string", "only what matches, such as reports/**")
                        .answersBytes(200, TAR, ZIP).by(this::archiveOut),
                at(put(base + "/archive", named("writeArchive"), "Unpacks a tar (plain, gzip, zstd) or zip below a path")).needs(Scope.EXEC).takes(TAR)
                        .answersNothing().by(this::archiveIn)));
        if (noun.isEmpty()) {
            all.add(at(get(base + "/files/watch", named("watchFiles"), "What happens below a path, as events")).needs(Scope.READ)
                    .query("recursive", "boolean", "with all directories below (default true)").answersBytes(200, OutputAnswer.EVENTS)
                    .by(new WatchAnswer(files)::send));
        }
        return all;
    }

    /// `statFile` of a sandbox is `statVolumeFile` of a volume.
    private String named(String id) {
        return noun.isEmpty() ? id : id.replaceFirst("(?=[A-Z])", noun);
    }

    private Operation at(Operation operation) {
        return noun.isEmpty()
                ? operation.need("path", "string", "absolute, or from the user's home").query("user", "string", "as this user of the sandbox")
                : operation.need("path", "string", "from the volume's root").query("user", "string", "uid or uid:gid that new files belong to (default: the volume's owner)");
    }

    static String path(Call call) {
        return call.query().need("path");
    }

    static @Nullable String user(Call call) {
        return call.query().get("user");
    }

    private void write(Call call) throws IOException {
        var body = new GuardedInput(call.http().body(largest), call.guard());
        call.json(files.writeWith(call.caller(), call.sandbox(), path(call), user(call), new Files.NewFile(call.query().get("mode"), xattrs(call), null), body));
    }

    private static Map<String, String> xattrs(Call call) {
        var all = new LinkedHashMap<String, String>();
        for (var pair : call.query().all("xattr")) {
            int equals = pair.indexOf('=');
            if (equals < 0 || all.put(pair.substring(0, equals), pair.substring(equals + 1)) != null) {
                throw Problem.field("xattr", "an attribute has no value, or is there twice", "user.NAME=VALUE, each name once");
            }
        }
        return all;
    }

    private void remove(Call call) throws IOException {
        files.remove(call.caller(), call.sandbox(), path(call), user(call), call.query().flag("recursive", false));
        call.http().nothing();
    }

    private void mkdir(Call call) throws IOException {
        var asked = call.http().json(Mkdir.class);
        call.json(files.mkdir(call.caller(), call.sandbox(), asked.path(), asked.user(), asked.mode()));
    }

    private void move(Call call) throws IOException {
        var asked = call.http().json(Move.class);
        files.move(call.caller(), call.sandbox(), asked.from(), asked.to(), asked.user());
        call.http().nothing();
    }

    private void attributes(Call call) throws IOException {
        var asked = call.http().json(Attributes.class);
        call.json(files.attributes(call.caller(), call.sandbox(), asked.path(), asked.user(), asked.mode(), asked.owner(),
                Boolean.TRUE.equals(asked.recursive())));
    }

    private void archiveOut(Call call) throws IOException {
        var form = form(call);
        var out = archive(call, form, name(path(call)));
        files.archiveOut(call.caller(), call.sandbox(), path(call), user(call), form, out);
    }

    /// By `format` and `include` of a request.
    static Outgoing form(Call call) {
        var asked = call.query().get("format");
        var format = Stream.of(Outgoing.Format.values()).filter(f -> f.wire().equals(asked == null ? "tar" : asked)).findFirst()
                .orElseThrow(() -> Problem.field("format", "is not known", "tar or zip"));
        return Outgoing.of(format, call.query().all("include"));
    }

    /// The answer's body; nothing of it is sent before the first byte is there.
    static OutputStream archive(Call call, Outgoing form, String name) throws IOException {
        call.http().set("Content-Disposition", FileAnswer.attachment(name + "." + form.format().wire())).set("X-Content-Type-Options", "nosniff");
        return new GuardedOutput(call.http().stream(200, form.format() == Outgoing.Format.ZIP ? ZIP : TAR, -1), call.guard(), Long.MAX_VALUE);
    }

    private void archiveIn(Call call) throws IOException {
        files.archiveIn(call.caller(), call.sandbox(), path(call), user(call), new GuardedInput(call.http().body(largest), call.guard()));
        call.http().nothing();
    }

    static String name(String path) {
        var bare = path.replaceFirst("/+$", "");
        var name = bare.substring(bare.lastIndexOf('/') + 1);
        return name.isEmpty() || name.equals(".") ? "root" : name;
    }
}
