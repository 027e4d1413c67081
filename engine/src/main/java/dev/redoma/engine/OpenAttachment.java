// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.Attachment;
import dev.redoma.model.wire.Tty;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One who has joined. Reads and types by the engine's own leave: whoever made it has looked whether they may. `type` is for one thread at a time, `output` for one other, the rest for any.
final class OpenAttachment implements Attachments.Joined {
    private static final int PIECE = 64 << 10;

    private final Attachment facts;
    private final TenantId tenant;
    private final boolean operator;
    private final @Nullable Instant until;
    private final Execs execs;
    private final Caller acting;
    private final Consumer<Problem> cutOff;
    private final Told told;
    private final AtomicReference<@Nullable String> why = new AtomicReference<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean over;
    private final AtomicLong seen = new AtomicLong();
    private final AtomicLong refusedWrites = new AtomicLong();
    private final MessageDigest digest = sha256();
    private long typed;

    /// Where it is recorded.
    interface Told {
        void typing(OpenAttachment a);

        void writeRefused(OpenAttachment a);

        void left(OpenAttachment a, String why);
    }

    /// `until` null: it has no end of its own.
    OpenAttachment(Attachment facts, Caller caller, TenantId tenant, @Nullable Instant until, Execs execs, Consumer<Problem> cutOff, Told told) {
        this.facts = facts;
        this.tenant = tenant;
        this.operator = caller.operator();
        this.until = until;
        this.execs = execs;
        this.acting = new Caller(caller.key(), tenant, Set.of(Scope.OPERATE));
        this.cutOff = cutOff;
        this.told = told;
    }

    Attachment facts() {
        return facts;
    }

    TenantId tenant() {
        return tenant;
    }

    boolean operator() {
        return operator;
    }

    boolean expired(Instant now) {
        return until != null && !now.isBefore(until);
    }

    /// Nothing goes either way after this.
    void end(String reason, Problem problem) {
        because(reason);
        over = true;
        cutOff.accept(problem);
    }

    @Override
    public boolean writes() {
        return facts.mode().equals(AttachService.WRITE);
    }

    @Override
    public boolean own() {
        return facts.grant() == null;
    }

    @Override
    public Execs.Output output(long offset) {
        var output = execs.output(acting, facts.sandbox(), facts.exec(), offset, true, false);
        return new Execs.Output() {
            @Override
            public Execs.@Nullable Chunk next(Duration keepAlive) throws InterruptedException {
                var chunk = output.next(keepAlive);
                if (over) {
                    return null;
                }
                if (chunk != null) {
                    seen.addAndGet(chunk.bytes().remaining());
                }
                return chunk;
            }

            @Override
            public void close() {
                output.close();
            }
        };
    }

    @Override
    public void type(InputStream from) throws IOException {
        if (!writes()) {
            throw readsOnly().raise();
        }
        // Each piece by itself: the guest takes what a process reads from one connection after the other, and others type too.
        var piece = new byte[PIECE];
        for (int n = typed(from, piece); n >= 0; n = typed(from, piece)) {
            execs.stdin(acting, facts.sandbox(), facts.exec(), new ByteArrayInputStream(piece, 0, n), false);
        }
    }

    /// What they type next, counted; -1 at its end, and after ours.
    private int typed(InputStream from, byte[] piece) throws IOException {
        int n = over ? -1 : from.read(piece);
        if (n > 0 && typed == 0) {
            told.typing(this);
        }
        if (n < 0 || over) {
            return -1;
        }
        synchronized (digest) {
            digest.update(piece, 0, n);
            typed += n;
        }
        return n;
    }

    @Override
    public void resize(Tty size) {
        if (!writes()) {
            throw readsOnly().raise();
        }
        if (!over) {
            execs.resize(acting, facts.sandbox(), facts.exec(), size);
        }
    }

    @Override
    public Problem readsOnly() {
        if (refusedWrites.getAndIncrement() == 0) {
            told.writeRefused(this);
        }
        return Problem.of(Code.POLICY_REFUSED, "You have joined this command to read, not to type.", "Join with mode=write, if you were granted that.").with("reason", "attach-read-only");
    }

    @Override
    public void because(String reason) {
        why.compareAndSet(null, reason);
    }

    AttachRecords.Seen seen() {
        synchronized (digest) {
            return new AttachRecords.Seen(typed, typed == 0 ? null : HexFormat.of().formatHex(copy().digest()), seen.get(), refusedWrites.get());
        }
    }

    private MessageDigest copy() {
        try {
            return (MessageDigest) digest.clone();
        } catch (CloneNotSupportedException never) {
            throw new IllegalStateException(never);
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            over = true;
            because("left");
            told.left(this, String.valueOf(why.get()));
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException never) {
            throw new IllegalStateException(never);
        }
    }
}
