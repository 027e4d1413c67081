// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// The layers of an image on their way into the pool, from the bottom up. What was not finished when it is closed is gone. One thread
/// at a time.
public interface LayerStack extends AutoCloseable {

    /// Puts the next layer on top if the pool has it already; else false.
    boolean take(ImageLayer layer);

    /// True if the pool has it now.
    boolean has(ImageLayer layer);

    /// Unpacks the next layer (a tar, plain, gzip or zstd; hostile input) and puts it on top. Whiteouts become the pool's own, devices
    /// are left out. Reads the stream to its end; refuses what has not the layer's `diffId`.
    Content unpack(ImageLayer layer, InputStream tar, Consumer<Pool.Progress> progress);

    /// Adds a layer with those of these directories, and of the places that the runtime mounts on, that are missing; refuses the image
    /// if one of them is there and is no directory.
    void complete(List<String> directories);

    /// The beginning of a regular file as the stack shows it now; empty if there is none.
    Optional<byte[]> read(String path, int limit);

    /// Makes all of it durable; the layers, top first. One that was stacked more than once is there where it was last: it has all that the
    /// others have.
    List<LayerId> finish();

    @Override
    void close();

    /// Members and bytes of content, and what was left out: device nodes, capabilities (whole or in part), other attributes.
    record Content(long entries, long bytes, int devices, int capabilities, int attributes) {}
}
