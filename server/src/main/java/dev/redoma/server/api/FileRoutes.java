// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.delete;
import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;
import static dev.redoma.server.api.Operation.put;

import dev.redoma.engine.Files;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.FileInfo;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Files of a sandbox.
final class FileRoutes {
    private static final String FILES = "/v1/sandboxes/{id}/files";
    private static final String ARCHIVE = "/v1/sandboxes/{id}/archive";
    private static final String TAR = "application/x-tar";

    private final Files files;
    private final FileAnswer answer;
    private final long largest;

    FileRoutes(Files files, long largest) {
        this.files = files;
        this.answer = new FileAnswer(files);
        this.largest = largest;
    }

    /// Body of `POST …/files/mkdir`.
    public record Mkdir(String path, @Nullable String user, @Nullable String mode) {}

    /// Body of `POST …/files/move`.
    public record Move(String from, String to, @Nullable String user) {}

    /// Body of `POST …/files/attributes`.
    public record Attributes(String path, @Nullable String user, @Nullable String mode, @Nullable String owner, @Nullable Boolean recursive) {}

    List<Operation> operations() {
        return List.of(
                at(get(FILES + "/stat", "statFile", "Facts of one file")).needs(Scope.READ).query("follow", "boolean", "follow a symlink (default true)")
                        .answers(200, FileInfo.class)
                        .by(c -> c.json(files.stat(c.caller(), c.sandbox(), path(c), user(c), c.query().flag("follow", true)))),
                at(get(FILES + "/list", "listFiles", "What is in a directory")).needs(Scope.READ).query("depth", "integer", "levels, 1 to 32")
                        .answersItems(FileInfo.class)
                        .by(c -> c.json(new Items<>(files.list(c.caller(), c.sandbox(), path(c), user(c), (int) c.query().number("depth", 1, 1, 32))))),
                at(get(FILES, "readFile", "Its bytes, or a range of them")).needs(Scope.READ).header("Range", "one byte range")
                        .answersBytes(200, "application/octet-stream").answersBytes(206, "application/octet-stream").by(answer::send),
                at(put(FILES, "writeFile", "Writes a file, whole or not at all")).needs(Scope.EXEC).query("mode", "string", "octal, e.g. 0644")
                        .takes("application/octet-stream").answers(200, FileInfo.class).by(this::write),
                at(delete(FILES, "removeFile", "Removes a file or directory")).needs(Scope.EXEC).query("recursive", "boolean", "with all that is in it")
                        .answersNothing().by(this::remove),
                post(FILES + "/mkdir", "makeDirectory", "Makes a directory and those above it").needs(Scope.EXEC).takes(Mkdir.class)
                        .answers(200, FileInfo.class).by(this::mkdir),
                post(FILES + "/move", "moveFile", "Renames").needs(Scope.EXEC).takes(Move.class).answersNothing().by(this::move),
                post(FILES + "/attributes", "setAttributes", "Changes mode and owner").needs(Scope.EXEC).takes(Attributes.class)
                        .answers(200, FileInfo.class).by(this::attributes),
                at(get(ARCHIVE, "readArchive", "A tar of what is below a path")).needs(Scope.READ).answersBytes(200, TAR).by(this::tarOut),
                at(put(ARCHIVE, "writeArchive", "Unpacks a tar below a path")).needs(Scope.EXEC).takes(TAR).answersNothing().by(this::tarIn),
                at(get(FILES + "/watch", "watchFiles", "What happens below a path, as events")).needs(Scope.READ)
                        .query("recursive", "boolean", "with all directories below (default true)").answersBytes(200, OutputAnswer.EVENTS)
                        .by(new WatchAnswer(files)::send));
    }

    private static Operation at(Operation operation) {
        return operation.need("path", "string", "absolute, or from the user's home").query("user", "string", "as this user of the sandbox");
    }

    static String path(Call call) {
        return call.query().need("path");
    }

    static @Nullable String user(Call call) {
        return call.query().get("user");
    }

    private void write(Call call) throws IOException {
        var body = new GuardedInput(call.http().body(largest), call.guard());
        call.json(files.write(call.caller(), call.sandbox(), path(call), user(call), call.query().get("mode"), body));
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

    private void tarOut(Call call) throws IOException {
        call.http().set("Content-Disposition", FileAnswer.attachment(name(path(call)) + ".tar")).set("X-Content-Type-Options", "nosniff");
        var out = new GuardedOutput(call.http().stream(200, TAR, -1), call.guard(), Long.MAX_VALUE);
        files.tarOut(call.caller(), call.sandbox(), path(call), user(call), out);
    }

    private void tarIn(Call call) throws IOException {
        files.tarIn(call.caller(), call.sandbox(), path(call), user(call), new GuardedInput(call.http().body(largest), call.guard()));
        call.http().nothing();
    }

    static String name(String path) {
        var bare = path.replaceFirst("/+$", "");
        var name = bare.substring(bare.lastIndexOf('/') + 1);
        return name.isEmpty() || name.equals(".") ? "root" : name;
    }
}
