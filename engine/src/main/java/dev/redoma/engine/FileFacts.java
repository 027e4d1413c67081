// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import com.google.protobuf.ByteString;
import dev.redoma.engine.proto.Reply;
import dev.redoma.kernel.Names;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.FileInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What the guest says of files, bounded. Names that are no UTF-8 show with U+FFFD for what cannot be shown.
final class FileFacts {
    private static final int MAX_NAME = 64 << 10;
    private static final long MAX_ANSWER = 32L << 20;
    private static final long NANOS = 1_000_000_000L;

    private FileFacts() {}

    static FileInfo of(Reply reply) {
        if (!reply.hasFile()) {
            throw wrong("no facts where a file's were due");
        }
        var f = reply.getFile();
        if (f.getSize() < 0 || f.getPath().size() > MAX_NAME || f.getTarget().size() > MAX_NAME || f.getReal().size() > MAX_NAME) {
            throw wrong("facts that no file has");
        }
        return new FileInfo(
                text(f.getPath()), f.getType().name().toLowerCase(Locale.ROOT), f.getSize(), FileModes.show(f.getMode()),
                Integer.toUnsignedLong(f.getUid()), Integer.toUnsignedLong(f.getGid()), GuestErrors.clean(f.getOwner()),
                GuestErrors.clean(f.getGroup()), instant(f.getMtimeNs()), f.hasAtimeNs() ? instant(f.getAtimeNs()) : null,
                f.hasCtimeNs() ? instant(f.getCtimeNs()) : null, f.getTarget().isEmpty() ? null : text(f.getTarget()),
                Integer.toUnsignedLong(f.getLinks()), f.getReal().isEmpty() ? null : text(f.getReal()), xattrs(f.getXattrsMap()));
    }

    private static @Nullable Map<String, String> xattrs(Map<String, ByteString> of) {
        if (of.isEmpty()) {
            return null;
        }
        var all = new TreeMap<String, String>();
        of.forEach((name, value) -> all.put(GuestErrors.clean(name), text(value)));
        return all;
    }

    /// Facts until Done.
    static List<FileInfo> all(GuestOp op, Duration silence, String subject, int limit) {
        var out = new ArrayList<FileInfo>();
        long bytes = 0;
        while (true) {
            var reply = op.answer(silence, subject);
            if (reply.hasDone()) {
                return out;
            }
            bytes += reply.getSerializedSize();
            if (out.size() >= limit || bytes > MAX_ANSWER) {
                throw wrong("more than was asked for");
            }
            out.add(of(reply));
        }
    }

    static String text(ByteString bytes) {
        return Names.printable(Names.decode(bytes.toByteArray()));
    }

    private static Instant instant(long nanos) {
        return Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS), Math.floorMod(nanos, NANOS));
    }

    private static RedomaException wrong(String what) {
        return Problem.of(Code.GUEST_PROTOCOL, "The guest sent " + what + ".", "The sandbox may be hostile or broken.").raise();
    }
}
