// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import java.io.File;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.storage.file.FileBasedConfig;
import org.eclipse.jgit.util.FS;
import org.eclipse.jgit.util.FS_POSIX;
import org.eclipse.jgit.util.SystemReader;
import org.jspecify.annotations.Nullable;

/// The surroundings in which the library for git works here: no configuration (the repository's own, the user's, the system's), no variables, no program that it would ask for any of them, and no measuring of file systems, for which
/// it would write files and wait seconds. What we want of it, our caller sets.
final class QuietGit extends SystemReader.Delegate {
    private static final File NOTHING = new File("/dev/null");
    private static final AtomicBoolean INSTALLED = new AtomicBoolean();

    private QuietGit() {
        super(SystemReader.getInstance());
    }

    /// For all of this process, which has no other use of the library.
    static FS fileSystem() {
        if (INSTALLED.compareAndSet(false, true)) {
            SystemReader.setInstance(new QuietGit());
        }
        return new Files();
    }

    @Override
    public @Nullable String getenv(String variable) {
        return null;
    }

    @Override
    public String getHostname() {
        return "localhost";
    }

    @Override
    public FileBasedConfig openUserConfig(@Nullable Config parent, FS fs) {
        return new Empty(fs);
    }

    @Override
    public FileBasedConfig openSystemConfig(@Nullable Config parent, FS fs) {
        return new Empty(fs);
    }

    @Override
    public FileBasedConfig openJGitConfig(@Nullable Config parent, FS fs) {
        return new Empty(fs);
    }

    /// The repository's `config` is for our own, bounded reading alone: an empty file stands in its place.
    private static final class Files extends FS_POSIX {
        @Override
        public FS newInstance() {
            return new Files();
        }

        @Override
        public File resolve(File dir, String name) {
            return name.equals("config") ? NOTHING : super.resolve(dir, name);
        }

        @Override
        protected @Nullable File discoverGitExe() {
            return null;
        }
    }

    private static final class Empty extends FileBasedConfig {
        private Empty(FS fs) {
            super(NOTHING, fs);
        }

        @Override
        public void load() {
            // there is nothing
        }

        @Override
        public void save() {
            // and it stays so
        }

        @Override
        public boolean isOutdated() {
            return false;
        }

        @Override
        public @Nullable String getString(String section, @Nullable String subsection, String name) {
            if (!section.equals("filesystem")) {
                return null;
            }
            return name.equalsIgnoreCase("timestampResolution") ? "1 seconds" : name.equalsIgnoreCase("minRacyThreshold") ? "10 milliseconds" : null;
        }
    }
}
