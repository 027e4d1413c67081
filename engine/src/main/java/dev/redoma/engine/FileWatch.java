// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.proto.Event;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.FileEvent;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A watch in force. A few events wait here; a reader too slow for more is felt by the guest, whose queue then says `overflow`.
final class FileWatch implements Files.Watch {
    private static final int WAITING = 1024;
    private static final int MAX_NAME = 16 << 10;
    static final String ROOT_REMOVED = "root-removed";

    private final GuestOp op;
    private final FileSlots.Slot slot;
    private final Live.Busy busy;
    private final AtomicBoolean inForce = new AtomicBoolean(true);
    private final BlockingQueue<Object> queue = new ArrayBlockingQueue<>(WAITING);
    private final Thread reader = Thread.ofVirtual().name("redoma-watch").unstarted(this::read);
    private volatile @Nullable RedomaException broken;
    private @Nullable Object last;

    /// The sandbox is not idle (`busy`) until the watch has ended.
    FileWatch(GuestOp op, FileSlots.Slot slot, Live.Busy busy) {
        this.op = op;
        this.slot = slot;
        this.busy = busy;
        reader.start();
    }

    /// Events, then what ended them.
    private void read() {
        try (op; Live.Busy over = this::over) {
            while (op.next(null) == GuestOp.Kind.CONTROL) {
                var reply = GuestErrors.check(op.reply(), "watch");
                if (!reply.hasEvent() || reply.getSerializedSize() > MAX_NAME) {
                    break;
                }
                var event = event(reply.getEvent());
                queue.put(event);
                if (event.kind().equals(ROOT_REMOVED)) {
                    return;
                }
            }
            throw GuestErrors.unreachable("The watch was broken off.").raise();
        } catch (RedomaException e) {
            broken = e;
            queue.offer(e); // where it is full, the reader finds it afterwards
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static FileEvent event(Event e) {
        var kind = e.getKind().name().toLowerCase(Locale.ROOT).replace('_', '-');
        var from = e.getFrom().isEmpty() ? null : FileFacts.text(e.getFrom());
        return new FileEvent(kind, FileFacts.text(e.getPath()), from, e.getDirectory());
    }

    /// After the end: the same again.
    @Override
    public @Nullable FileEvent next(Duration atMost) throws InterruptedException {
        var item = last != null ? last : queue.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
        if (item == null) {
            item = broken;
        }
        if (item instanceof RedomaException e) {
            last = e;
            throw e;
        }
        var event = (FileEvent) item;
        if (event != null && event.kind().equals(ROOT_REMOVED)) {
            last = event;
        }
        return event;
    }

    @Override
    public void close() {
        reader.interrupt();
        op.close();
        over();
        slot.close();
    }

    /// Once, whoever is first: it ended by itself, or was closed.
    private void over() {
        if (inForce.getAndSet(false)) {
            busy.close();
        }
    }
}
