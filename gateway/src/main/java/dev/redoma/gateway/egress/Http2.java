// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.gateway.egress.Requests.Ongoing;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// HTTP/2 inside of an intercepted connection, frame by frame: blocks of fields are read and written anew, requests decided one by one; all else of an admitted stream goes through under the
/// same number. The windows are those of the two ends, so nothing is kept here but what refusals took of them. Each direction is one thread; what both write to is behind a lock.
final class Http2 {
    static final int MOST_STREAMS = 256;
    private static final int GREETING_SECONDS = 15;
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    private static final int MAX_CONCURRENT = 3;
    private static final int INITIAL_WINDOW = 4;
    private static final int MAX_LIST = 6;
    private static final int ENABLE_PUSH = 2;

    final Decided decided;
    private final Ends ends;
    final InputStream in;
    final InputStream upIn;
    private final OutputStream out;
    private final OutputStream up;
    /// The origin has told its settings, and the program has got them: nothing else may come first.
    private final CountDownLatch greeted = new CountDownLatch(1);
    private final ReentrantLock outLock = new ReentrantLock();
    private final ReentrantLock upLock = new ReentrantLock();
    /// Behind `outLock`, as its first block, which tells that it uses no table.
    private final Http2Room room = new Http2Room(outLock);
    private final FieldBlock toInside = new FieldBlock();
    private final FieldBlock toOutside = new FieldBlock();
    private final Map<Integer, Stream> streams = new ConcurrentHashMap<>();

    /// One that was admitted, until both its ways have ended.
    static final class Stream {
        final Ongoing request;
        /// How many bytes of a body it said would come, and are still to come; -1: it did not say.
        private long due;
        private boolean upEnded;
        private boolean downEnded;

        Stream(Ongoing request, long due) {
            this.request = request;
            this.due = due;
        }

        /// So many of them came. False: it is not what it said (RFC 9113, 8.1.1), and who goes by that would read on in what is no request.
        boolean came(int bytes, boolean last) {
            if (due >= 0) {
                due -= bytes;
                return last ? due == 0 : due >= 0;
            }
            return true;
        }
    }

    Http2(Decided decided, Ends ends) throws IOException {
        this.decided = decided;
        this.ends = ends;
        this.in = new java.io.BufferedInputStream(ends.inside().getInputStream(), Frame.LONGEST);
        this.out = ends.inside().getOutputStream();
        this.up = ends.outside().getOutputStream();
        this.upIn = new java.io.BufferedInputStream(ends.outside().getInputStream(), Frame.LONGEST);
    }

    void serve() throws IOException {
        byte[] first = in.readNBytes(PREFACE.length);
        if (first.length == 0) {
            return; // it has left
        }
        if (!java.util.Arrays.equals(first, PREFACE)) {
            throw new Frame.Broken("no preface");
        }
        up.write(PREFACE);
        var downDone = new CountDownLatch(1);
        Thread.ofVirtual().name("egress-down").start(() -> {
            try {
                new Http2Down(this).serve();
                end(streams.isEmpty());
            } catch (IOException gone) {
                end(left(gone));
            } finally {
                greeted.countDown();
                downDone.countDown();
                decided.link().end("failed"); // where nothing else was said
            }
        });
        try {
            if (!new Http2Up(this).serve()) {
                ends.drain(decided.link());
            }
            end(true);
        } catch (Frame.Broken broken) {
            goAway(broken);
            end(false);
        } catch (IOException gone) {
            end(left(gone));
        } finally {
            room.end();
            decided.link().end("failed");
            streams.values().forEach(s -> decided.end(s.request));
            await(downDone);
        }
    }

    /// One end closed where nothing was under way: that is how connections end that are kept for more.
    private boolean left(IOException gone) {
        return streams.isEmpty() && Link.closedByPeer(gone);
    }

    /// What the program said can be read by nobody: that is on record, and it is told.
    private void goAway(Frame.Broken broken) {
        decided.fault(400, RequestFault.MALFORMED, "", "", String.valueOf(broken.getMessage()));
        if (greeted.getCount() == 0) {
            try {
                inward(List.of(Frame.away(Integer.MAX_VALUE)));
                ends.drain(decided.link());
            } catch (IOException gone) {
                // it is not there to be told
            }
        }
    }

    private void end(boolean byItself) {
        if (byItself) {
            decided.link().finish();
        } else {
            decided.link().end("broken");
        }
    }

    private static void await(CountDownLatch done) {
        boolean stopped = false;
        while (true) {
            try {
                done.await(); // ends: both ends are closed
                break;
            } catch (InterruptedException e) {
                stopped = true;
            }
        }
        if (stopped) {
            Thread.currentThread().interrupt();
        }
    }

    @Nullable Stream stream(int id) {
        return streams.get(id);
    }

    boolean full() {
        return streams.size() >= MOST_STREAMS;
    }

    void admit(int id, Ongoing request, long due) {
        streams.put(id, new Stream(request, due));
    }

    /// One of its ways has ended.
    void half(int id, boolean upward) {
        Stream stream = streams.get(id);
        if (stream != null) {
            synchronized (stream) {
                stream.upEnded |= upward;
                stream.downEnded |= !upward;
                if (!stream.upEnded || !stream.downEnded) {
                    return;
                }
            }
            gone(id);
        }
    }

    void gone(int id) {
        Stream stream = streams.remove(id);
        if (stream != null) {
            decided.end(stream.request);
        }
    }

    void greeted() {
        greeted.countDown();
    }

    /// Before the gateway itself tells the program something.
    void awaitGreeting() throws IOException {
        try {
            if (!greeted.await(GREETING_SECONDS, TimeUnit.SECONDS)) {
                throw new Frame.Broken("the origin tells no settings");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    void inward(List<Frame> frames) throws IOException {
        write(outLock, out, frames);
    }

    void outward(List<Frame> frames) throws IOException {
        write(upLock, up, frames);
    }

    private static void write(ReentrantLock lock, OutputStream to, List<Frame> frames) throws IOException {
        lock.lock();
        try {
            for (Frame frame : frames) {
                frame.write(to);
            }
        } finally {
            lock.unlock();
        }
    }

    /// Something of an origin's body, when the program takes it.
    void dataInward(Frame frame) throws IOException {
        outLock.lock();
        try {
            room.await(frame.payload().length);
            inward(List.of(frame));
        } finally {
            outLock.unlock();
        }
    }

    /// A refusal, which is on record. `last`: nothing more of the request comes; `end`: nor does anything else, and what has no room now never has.
    void refuse(int id, String method, boolean last, boolean end, Refused refused) throws IOException {
        awaitGreeting();
        outLock.lock();
        try {
            boolean body = !method.equals("HEAD") && room.takes(refused.body().length, !end);
            inward(toInside.write(id, !body, Map.of(":status", String.valueOf(refused.status())), refused.fields(body)));
            if (body) {
                inward(room.body(new Frame(Frame.DATA, Frame.END_STREAM, id, refused.body()), !last));
            } else if (!last) {
                inward(List.of(Http2Room.reset(id)));
            }
        } finally {
            outLock.unlock();
        }
    }

    /// The program lets more be sent to it: how much more the origin may, of a stream or (0) of all.
    long window(int stream, int more) throws IOException {
        outLock.lock();
        try {
            long rest = more;
            if (stream == 0) {
                rest = room.grown(more);
            } else {
                room.grown(stream, more);
            }
            inward(room.regained());
            return rest;
        } finally {
            outLock.unlock();
        }
    }

    /// What the program says of the windows of its streams.
    void windows(Frame settings) throws IOException {
        outLock.lock();
        try {
            for (var s = ByteBuffer.wrap(settings.payload()); s.remaining() >= 6; ) {
                int id = s.getShort() & 0xffff;
                long value = s.getInt() & 0xffffffffL;
                if (id == INITIAL_WINDOW) {
                    room.ofStreams(value);
                }
            }
            inward(room.regained());
        } finally {
            outLock.unlock();
        }
    }

    /// The program has ended a stream that was refused.
    void unrefuse(int id) {
        outLock.lock();
        try {
            room.gone(id);
        } finally {
            outLock.unlock();
        }
    }

    /// A block that goes to the program. Its bytes count for the request.
    void fieldsInward(int id, boolean last, Map<String, String> pseudo, Iterable<org.eclipse.jetty.http.HttpField> fields, @Nullable Ongoing request) throws IOException {
        outLock.lock();
        try {
            List<Frame> frames = toInside.write(id, last, pseudo, fields);
            if (request != null) {
                decided.link().goingDown(size(frames), request.by());
            }
            inward(frames);
        } finally {
            outLock.unlock();
        }
    }

    /// A block that goes to the origin.
    void fieldsOutward(int id, boolean last, Map<String, String> pseudo, Iterable<org.eclipse.jetty.http.HttpField> fields, Ongoing request) throws IOException {
        upLock.lock();
        try {
            List<Frame> frames = toOutside.write(id, last, pseudo, fields);
            decided.link().goingUp(size(frames), request.by());
            outward(frames);
        } finally {
            upLock.unlock();
        }
    }

    private static int size(List<Frame> frames) {
        return frames.stream().mapToInt(f -> f.payload().length).sum();
    }

    /// Frames that carry nothing, of one direction: each costs the other end and the gateway something, and no rule counts them.
    static final class Idle {
        private final Bucket bucket = new Bucket(1000, 100);

        void one() throws Frame.Broken {
            if (!bucket.take()) {
                throw new Frame.Broken("more frames without content than there is reason for");
            }
        }
    }

    /// What one end may tell the other: numbers of streams and windows. Tables and sizes of frames are agreed with the gateway, and are the standard's; nothing is pushed or extended.
    static Frame settings(Frame said, boolean upward) throws Frame.Broken {
        if (said.stream() != 0 || said.payload().length % 6 != 0 || said.has(Frame.ACK) && said.payload().length > 0) {
            throw new Frame.Broken("settings that are none");
        }
        if (said.has(Frame.ACK)) {
            return said;
        }
        var kept = new ArrayList<long[]>();
        for (var s = ByteBuffer.wrap(said.payload()); s.hasRemaining(); ) {
            int id = s.getShort() & 0xffff;
            int value = s.getInt();
            if (id == MAX_CONCURRENT || id == INITIAL_WINDOW || id == MAX_LIST) {
                kept.add(new long[] {id, value});
            }
        }
        if (upward) {
            kept.add(new long[] {ENABLE_PUSH, 0});
        }
        var all = ByteBuffer.allocate(kept.size() * 6);
        kept.forEach(k -> all.putShort((short) k[0]).putInt((int) k[1]));
        return new Frame(Frame.SETTINGS, 0, 0, all.array());
    }
}
