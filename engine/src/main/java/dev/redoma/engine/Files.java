// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.wire.FileEvent;
import dev.redoma.model.wire.FileInfo;
import dev.redoma.pool.Outgoing;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Files of a running sandbox (or, by the host itself, of a volume), as the same user as commands unless one is given. Relative paths: from the user's home.
public interface Files {

    FileInfo stat(Caller caller, String sandbox, String path, @Nullable String user, boolean follow);

    List<FileInfo> list(Caller caller, String sandbox, String path, @Nullable String user, int depth);

    /// Calls `header` with the file's facts before the first byte goes to `to`.
    void read(Caller caller, String sandbox, String path, @Nullable String user, long offset, long length, Header header)
            throws IOException;

    /// Atomic; `mode` null = 0644 for a new file. Ends at the end of the stream; an IOException from it leaves the old file.
    default FileInfo write(Caller caller, String sandbox, String path, @Nullable String user, @Nullable String mode, InputStream data)
            throws IOException {
        return writeWith(caller, sandbox, path, user, new NewFile(mode, Map.of(), null), data);
    }

    /// The same with attributes.
    FileInfo writeWith(Caller caller, String sandbox, String path, @Nullable String user, NewFile how, InputStream data) throws IOException;

    /// How a file is written. `xattrs`: attributes `user.*` it gets; others that it had are kept, but for those that begin with `dropped`.
    record NewFile(@Nullable String mode, Map<String, String> xattrs, @Nullable String dropped) {

        public NewFile {
            xattrs = Map.copyOf(xattrs);
        }
    }

    FileInfo mkdir(Caller caller, String sandbox, String path, @Nullable String user, @Nullable String mode);

    void move(Caller caller, String sandbox, String from, String to, @Nullable String user);

    void remove(Caller caller, String sandbox, String path, @Nullable String user, boolean recursive);

    FileInfo attributes(Caller caller, String sandbox, String path, @Nullable String user, @Nullable String mode, @Nullable String owner,
            boolean recursive);

    /// What is below `path`, or of it what matches.
    void archiveOut(Caller caller, String sandbox, String path, @Nullable String user, Outgoing form, OutputStream to) throws IOException;

    /// Unpacks a tar (plain, gzip, zstd) or zip below `path`, having looked all of it through: one bad member, and nothing is written.
    void archiveIn(Caller caller, String sandbox, String path, @Nullable String user, InputStream archive) throws IOException;

    /// Returns when the watch is in force.
    Watch watch(Caller caller, String sandbox, String path, @Nullable String user, boolean recursive);

    /// Receives the facts of the file about to be read and says where its bytes go.
    interface Header {
        WritableByteChannel accept(FileInfo info) throws IOException;
    }

    /// A watch in force. `next` is null when nothing happened for that long; after `root-removed` it ended.
    interface Watch extends AutoCloseable {
        @Nullable FileEvent next(Duration atMost) throws InterruptedException;

        @Override
        void close();
    }
}
