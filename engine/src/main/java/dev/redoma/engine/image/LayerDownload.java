// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import dev.redoma.engine.image.Outgoing.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The bytes of a layer as they come; where the connection breaks it goes on from there with another. Ends with an error where that helps no
/// more, or the whole is slower than anybody should wait for. One thread.
final class LayerDownload extends InputStream {
    private static final int BREAKS = 8;
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final Duration LEAST = Duration.ofMinutes(2);
    private static final long SLOWEST = 16 << 10;

    private final RegistryClient registry;
    private final PullControl control;
    private final Descriptor wanted;
    private final long deadline;
    private @Nullable Reply reply;
    private long at;
    private int breaks;

    LayerDownload(RegistryClient registry, PullControl control, Descriptor wanted) {
        this.registry = registry;
        this.control = control;
        this.wanted = wanted;
        this.deadline = System.nanoTime() + LEAST.plusSeconds(wanted.size() / SLOWEST).toNanos();
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        while (true) {
            control.check();
            if (System.nanoTime() - deadline > 0) {
                throw Refusal.registry("The registry " + registry.registry() + " is slower than " + SLOWEST + " bytes a second.").raise();
            }
            try {
                int n = opened().body().read(into, from, length);
                if (n < 0 && at < wanted.size()) {
                    throw new IOException("it ends after " + at + " of " + wanted.size() + " bytes");
                }
                at += Math.max(0, n);
                return n;
            } catch (IOException e) {
                broken(e);
            }
        }
    }

    private Reply opened() throws IOException {
        if (reply == null) {
            var fresh = registry.layer(wanted, at);
            reply = fresh;
            place(fresh);
        }
        return reply;
    }

    /// A server that does not know ranges begins anew.
    private void place(Reply fresh) throws IOException {
        if (fresh.status() == 200) {
            fresh.body().skipNBytes(at);
            return;
        }
        var range = fresh.header("Content-Range").orElse("");
        if (!range.startsWith("bytes " + at + "-")) {
            throw Refusal.registry("The registry " + registry.registry() + " gives '" + Refusal.shown(range) + "' of a layer where the bytes from " + at + " were asked for.").raise();
        }
    }

    private void broken(IOException why) {
        close();
        control.check();
        if (++breaks > BREAKS) {
            throw registry.failed(why);
        }
        control.pause(PAUSE.multipliedBy(1L << Math.min(breaks, 6)));
    }

    @Override
    public void close() {
        if (reply != null) {
            reply.close();
            reply = null;
        }
    }
}
