// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import dev.redoma.engine.proto.Reply;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// An operation over one accepted Unix-socket connection. Blocking reads and writes; the watchdog closes the channel when one of
/// them takes too long.
final class SocketOp implements GuestOp, Watchdog.Watched {
    static final int MAX_CONTROL = 1 << 20;
    static final int MAX_BULK = 256 << 10;
    private static final Duration CONTROL_WRITE = Duration.ofSeconds(10);
    /// How long a stream at full speed is left to gather, so that each waking finds more than a few bytes.
    private static final long GATHER_NANOS = 250_000;
    private static final int PLENTY = 64 << 10;
    private static final Kind[] KINDS = Kind.values();

    private final SocketChannel channel;
    private final Consumer<SocketChannel> next;
    /// True once the channel was closed or passed on: neither happens after the other.
    private final AtomicBoolean done = new AtomicBoolean();
    private final ReentrantLock writing = new ReentrantLock();
    private boolean mute;
    private volatile long readBy;
    private volatile long writeBy;
    private volatile boolean expired;

    // Below: the reader's alone.
    private @Nullable Thread reader;
    private @Nullable ByteBuffer in;
    private boolean large;
    private int lastRead;
    private Kind kind = Kind.EOF;
    private int rest;
    private @Nullable ByteBuffer piece;
    private @Nullable Reply reply;

    /// `next`: takes the channel when it can be used again.
    SocketOp(SocketChannel channel, Consumer<SocketChannel> next) {
        this.channel = channel;
        this.next = next;
        Watchdog.SHARED.add(this);
    }

    @Override
    public Kind next(@Nullable Duration silence) {
        try {
            return rest > 0 ? piece(silence) : frame(silence);
        } catch (IOException e) {
            throw broken(e);
        }
    }

    private Kind frame(@Nullable Duration silence) throws IOException {
        piece = null;
        while (buffer().remaining() < 4) {
            if (!fill(silence)) {
                if (buffer().hasRemaining()) {
                    throw protocol("a frame that ends in its header");
                }
                return Kind.EOF;
            }
        }
        int word = buffer().getInt();
        int number = word >>> 24;
        int length = word & 0xff_ffff;
        if (number > Kind.END.ordinal()) {
            throw protocol("a frame of the unknown kind " + number);
        }
        kind = KINDS[number];
        return switch (kind) {
            case CONTROL -> control(length, silence);
            case END -> end(length);
            default -> bulk(length, silence);
        };
    }

    private Kind control(int length, @Nullable Duration silence) throws IOException {
        if (length > MAX_CONTROL) {
            throw protocol("a control frame of " + length + " bytes");
        }
        var message = new byte[length];
        for (int done = 0; done < length; ) {
            more(silence);
            int n = Math.min(length - done, buffer().remaining());
            buffer().get(message, done, n);
            done += n;
        }
        try {
            reply = Reply.parseFrom(message);
        } catch (InvalidProtocolBufferException e) {
            throw protocol("a message that is none");
        }
        return Kind.CONTROL;
    }

    private Kind end(int length) {
        if (length != 0) {
            throw protocol("an END with content");
        }
        return Kind.END;
    }

    private Kind bulk(int length, @Nullable Duration silence) throws IOException {
        if (length == 0 || length > MAX_BULK) {
            throw protocol("a data frame of " + length + " bytes");
        }
        rest = length;
        return piece(silence);
    }

    private Kind piece(@Nullable Duration silence) throws IOException {
        more(silence);
        var from = buffer();
        int n = Math.min(rest, from.remaining());
        piece = from.slice(from.position(), n);
        from.position(from.position() + n);
        rest -= n;
        return kind;
    }

    /// At least one byte in the buffer; the end of the connection here cuts a frame.
    private void more(@Nullable Duration silence) throws IOException {
        while (!buffer().hasRemaining()) {
            if (!fill(silence)) {
                throw protocol("a frame that was cut");
            }
        }
    }

    private ByteBuffer buffer() {
        var b = in;
        if (b == null) {
            reader = Thread.currentThread();
            b = Buffers.SMALL.take().flip();
            in = b;
        }
        return b;
    }

    private boolean fill(@Nullable Duration silence) throws IOException {
        var b = buffer().compact();
        if (large && lastRead < PLENTY) {
            LockSupport.parkNanos(GATHER_NANOS);
        }
        readBy = by(silence);
        int n = channel.read(b);
        readBy = 0;
        lastRead = n;
        resize(b, n);
        buffer().flip();
        return n >= 0;
    }

    /// A stream at full speed gets a large buffer; who has become quiet gives it back.
    private void resize(ByteBuffer b, int n) {
        if (!large && !b.hasRemaining()) {
            swap(b, Buffers.SMALL, Buffers.LARGE);
        } else if (large && n == b.position() && n < 4096) {
            swap(b, Buffers.LARGE, Buffers.SMALL);
        }
    }

    private void swap(ByteBuffer b, Buffers from, Buffers to) {
        var other = to.take();
        other.put(b.flip());
        from.give(b);
        in = other;
        large = to == Buffers.LARGE;
    }

    @Override
    public Reply reply() {
        return java.util.Objects.requireNonNull(reply);
    }

    @Override
    public ByteBuffer data() {
        return java.util.Objects.requireNonNull(piece);
    }

    @Override
    public boolean ready() {
        var b = buffer();
        return rest > 0 ? b.hasRemaining() : b.remaining() >= 4 && b.remaining() >= 4 + (b.getInt(b.position()) & 0xff_ffff);
    }

    @Override
    public Reply answer(@Nullable Duration silence, String subject) {
        return switch (next(silence)) {
            case CONTROL -> GuestErrors.check(reply(), subject);
            case EOF -> throw GuestErrors.unreachable("The guest ended the operation without an answer.").raise();
            default -> throw protocol("data where an answer was due");
        };
    }

    @Override
    public void send(MessageLite message) {
        int size = message.getSerializedSize();
        var frame = ByteBuffer.allocate(4 + size).putInt(size).put(message.toByteArray()).flip();
        write(new ByteBuffer[] {frame}, CONTROL_WRITE);
    }

    @Override
    public void send(Kind kind, ByteBuffer bytes, @Nullable Duration silence) {
        while (bytes.hasRemaining()) {
            int n = Math.min(bytes.remaining(), MAX_BULK);
            var header = ByteBuffer.allocate(4).putInt(kind.ordinal() << 24 | n).flip();
            write(new ByteBuffer[] {header, bytes.slice(bytes.position(), n)}, silence);
            bytes.position(bytes.position() + n);
        }
    }

    @Override
    public void end() {
        write(new ByteBuffer[] {ByteBuffer.allocate(4).putInt(Kind.END.ordinal() << 24).flip()}, CONTROL_WRITE);
    }

    private void write(ByteBuffer[] frame, @Nullable Duration silence) {
        writing.lock();
        try {
            if (mute) {
                throw new IOException("an earlier write failed");
            }
            writeBy = by(silence);
            while (frame[frame.length - 1].hasRemaining()) {
                channel.write(frame);
            }
            writeBy = 0;
        } catch (IOException e) {
            mute = true; // half a frame may be out: nothing can follow it
            throw broken(e);
        } finally {
            writing.unlock();
        }
    }

    @Override
    public void reuse() {
        writing.lock();
        try {
            boolean clean = !mute && rest == 0 && !buffer().hasRemaining();
            mute = true; // whoever still holds this one must not speak on what is another's now
            if (clean && done.compareAndSet(false, true)) {
                Watchdog.SHARED.remove(this);
                next.accept(channel);
            }
        } finally {
            writing.unlock();
        }
    }

    private static long by(@Nullable Duration silence) {
        return silence == null ? 0 : System.nanoTime() + silence.toNanos() | 1;
    }

    @Override
    public void check(long now) {
        long read = readBy;
        long write = writeBy;
        if (read != 0 && now - read > 0 || write != 0 && now - write > 0) {
            expired = true;
            shut();
        }
    }

    private RedomaException broken(IOException e) {
        var why = expired ? "The guest did not answer in time." : "The connection to the guest broke.";
        return GuestErrors.unreachable(why).raise(e);
    }

    private static RedomaException protocol(String what) {
        return Problem.of(Code.GUEST_PROTOCOL, "The guest sent " + what + ".", "Its operation was ended; the sandbox may be hostile or broken.")
                .raise();
    }

    /// Buffers go back only from the reader's own thread, another one cannot know whether a piece is still in use; and only when no piece is
    /// lent: a write of it to a client may have been broken off and still be under way.
    @Override
    public void close() {
        shut();
        var b = in;
        if (b != null && reader == Thread.currentThread()) {
            in = null;
            if (piece == null) {
                (large ? Buffers.LARGE : Buffers.SMALL).give(b);
            }
            large = false;
        }
    }

    private void shut() {
        Watchdog.SHARED.remove(this);
        if (!done.compareAndSet(false, true)) {
            return;
        }
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing more can be done with it, and the descriptor is gone either way.
            org.slf4j.LoggerFactory.getLogger(SocketOp.class).debug("close", e);
        }
    }
}
