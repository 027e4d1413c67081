// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaApiException;
import dev.redoma.client.RedomaClient;
import dev.redoma.client.SandboxFiles;
import dev.redoma.client.tar.Unpacked;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Copies files and folders into and out of a sandbox.
@Command(name = "cp", description = {
    "Copy a file or folder: SRC and DST are local paths or SANDBOX:PATH (or volume/NAME:PATH), one of each; '-' is stdin or stdout.",
    "A folder goes into DST if that is a folder already, else it becomes DST. Links are copied as links, never followed."})
final class Cp extends Verb {
    @Option(names = {"-u", "--user"}, description = "As this user of the sandbox.")
    @Nullable String user;

    @Option(names = "--gitignore", description = "Leave out what the folder's .gitignore files name.")
    boolean gitignore;

    @Parameters(index = "0", paramLabel = "SRC")
    String from = "";

    @Parameters(index = "1", paramLabel = "DST")
    String to = "";

    Cp(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) throws IOException {
        var source = RemotePath.of(from);
        var target = RemotePath.of(to);
        if ((source == null) == (target == null)) {
            throw new Failed(Exit.USAGE, "One of SRC and DST is local and the other SANDBOX:PATH.", "Copy between sandboxes by way of a local folder, or fork.");
        }
        if (target != null) {
            if (!from.equals("-")) {
                Local.there(from);
            }
            up(target.files(client).as(user), target);
        } else if (source != null) {
            down(source.files(client).as(user), source);
        }
        return Exit.OK;
    }

    private void up(SandboxFiles files, RemotePath target) throws IOException {
        if (from.equals("-")) {
            done(files.write(target.path(), io.in()::transferTo, null));
            return;
        }
        var local = Path.of(from);
        var place = into(files, target, local);
        try (var progress = Progress.onTerminal(io, "upload")) {
            if (!Files.isDirectory(local)) {
                done(files.upload(local, place.path(), mode(local), progress::at));
                return;
            }
            files.mkdir(place.path(), null);
            var leftOut = files.folders().upload(local, place.path(), gitignore, done -> progress.at(done, -1));
            leftOut.forEach(name -> io.err().println("redoma: not copied, it is no file, folder or link: " + Text.safe(name)));
            done(Map.of("path", place.path(), "leftOut", leftOut));
        }
    }

    /// As cp does: below an existing folder under its own name, unless the source ends in `/.`.
    private static RemotePath into(SandboxFiles files, RemotePath target, Path local) {
        var name = local.getFileName();
        boolean contents = local.toString().equals(".") || name == null || name.toString().equals(".") || name.toString().equals("..");
        return !contents && isFolder(files, target.path()) ? target.child(name.toString()) : target;
    }

    private static boolean isFolder(SandboxFiles files, String path) {
        try {
            return files.stat(path, true).type().equals("directory");
        } catch (RedomaApiException e) {
            if (e.code().equals("file-not-found")) {
                return false;
            }
            throw e;
        }
    }

    private static String mode(Path local) throws IOException {
        int mode = 0;
        for (var permission : Files.getPosixFilePermissions(local)) {
            mode |= 0400 >> permission.ordinal();
        }
        return String.format("%04o", mode & (1 << PosixFilePermission.values().length) - 1);
    }

    private void down(SandboxFiles files, RemotePath source) throws IOException {
        if (to.equals("-")) {
            files.read(source.path(), io.out());
            return;
        }
        try (var progress = Progress.onTerminal(io, "download")) {
            var local = Path.of(to);
            boolean contents = source.path().endsWith("/.") || source.name().equals(".") || source.name().equals("..") || source.name().isEmpty();
            var place = Files.isDirectory(local) && !contents ? local.resolve(source.name()) : local;
            if (isFolder(files, source.path())) {
                said(files.folders().download(source.path(), place, done -> progress.at(done, -1)), place);
            } else {
                files.download(source.path(), place, progress::at);
                done(Map.of("path", place.toString()));
            }
        }
    }

    private void said(Unpacked unpacked, Path place) {
        unpacked.leftOut().forEach(name -> io.err().println("redoma: not copied, it is a device or FIFO: " + Text.safe(name)));
        unpacked.leavingLinks().forEach(name -> io.err().println("redoma: careful, this link points out of the folder: " + Text.safe(name)));
        done(Map.of("path", place.toString(), "unpacked", unpacked));
    }

    private void done(Object what) {
        if (json) {
            print(what);
        }
    }
}
