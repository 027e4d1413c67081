// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Stat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// The user's own folder of journals, one folder in it for each apply that is being made. What is to be done and undone is believed from here alone: whoever can fill a target (a repository, a sandbox by what was applied before) can
/// write nothing here. It is the caller's by owner and mode, or it is not used.
final class Journals implements AutoCloseable {
    private final Path place;
    private final Dir dir;
    private final long owner;

    private Journals(Path place, Dir dir, long owner) {
        this.place = place;
        this.dir = dir;
        this.owner = owner;
    }

    /// `$XDG_STATE_HOME/redoma/apply`, by default `~/.local/state/redoma/apply`; a relative one is passed over, for it would lie wherever one stands.
    static Path standard() {
        var state = System.getenv("XDG_STATE_HOME");
        var home = System.getenv().getOrDefault("HOME", System.getProperty("user.home"));
        return (state == null || !Path.of(state).isAbsolute() ? Path.of(home, ".local/state") : Path.of(state)).resolve("redoma/apply");
    }

    static Journals open(Path place) throws IOException {
        try {
            Files.createDirectories(place, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            var real = place.toRealPath();
            var dir = Dir.open(real);
            try {
                var journals = new Journals(real, dir, (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
                journals.own(dir.fd().stat(), real);
                return journals;
            } catch (RuntimeException | IOException e) {
                dir.close();
                throw e;
            }
        } catch (IOException | KernelException e) {
            throw new NotApplied("there is no place for the journal, which is kept outside of the folder: " + e.getMessage() + " (XDG_STATE_HOME names another)");
        }
    }

    Path place() {
        return place;
    }

    Dir dir() {
        return dir;
    }

    /// It is a directory of whoever runs this, and nobody else can write or look into it.
    void own(Stat stat, Path what) {
        if (stat.type() != Stat.Type.DIRECTORY || stat.uid() != owner || (stat.mode() & 077) != 0) {
            throw new NotApplied("'" + what + "' is not a folder of yours that is closed to others (mode 0700), so no journal in it is believed");
        }
    }

    @Override
    public void close() {
        dir.close();
    }
}
