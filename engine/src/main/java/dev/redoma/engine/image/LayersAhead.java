// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import dev.redoma.engine.image.SourceImage.SourceLayer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/// Fetches layers of an image while those before them are unpacked: the next few at a time, into files without names. What lies on this host
/// already is not fetched. One thread uses it; closing it ends what is under way.
final class LayersAhead implements AutoCloseable {
    /// At a time, the one that is being unpacked among them.
    static final int AT_ONCE = 3;

    private final List<SourceLayer> layers;
    private final IntPredicate wanted;
    private final PullControl control;
    private final Path directory;
    private final Map<Integer, LayerFetch> fetches = new HashMap<>();
    private long room;

    /// `wanted`: which of them will be asked for, as far as is known; `directory` is on the file system that has `room` bytes for them.
    LayersAhead(List<SourceLayer> layers, IntPredicate wanted, PullControl control, Path directory, long room) {
        this.layers = layers;
        this.wanted = wanted;
        this.control = control;
        this.directory = directory;
        this.room = room;
    }

    /// The stored bytes of a layer. They are asked for in order.
    InputStream open(int layer) throws IOException {
        for (int i = layer, begun = 0; i < layers.size() && begun < AT_ONCE; i++) {
            if (begin(i, i == layer)) {
                begun++;
            }
        }
        var fetch = fetches.get(layer);
        return fetch == null ? layers.get(layer).content().open() : fetch.reader();
    }

    /// True if it is on its way, or here.
    private boolean begin(int i, boolean now) throws IOException {
        var layer = layers.get(i);
        if (fetches.containsKey(i)) {
            return true;
        }
        if (!layer.content().remote() || layer.size() > room || !now && !wanted.test(i)) {
            return false;
        }
        room -= layer.size();
        fetches.put(i, LayerFetch.begin(layer.content(), directory, control));
        return true;
    }

    /// That layer is unpacked: its file is no longer needed.
    void done(int layer) {
        var fetch = fetches.remove(layer);
        if (fetch != null) {
            fetch.close();
            room += layers.get(layer).size();
        }
    }

    @Override
    public void close() {
        var all = new ArrayList<>(fetches.values());
        all.forEach(LayerFetch::end);
        all.forEach(LayerFetch::close);
        fetches.clear();
    }
}
