// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.pool.Outgoing;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a call does to a file, as it goes on record: plain facts, and words that are sealed. What makes another file of it (mode, owner, attributes,
/// as whom) is told as it was asked for: nobody finds a program that became set-uid root among "attributes of a path".
record FileAct(String action, Map<String, Object> open, Map<String, Object> sealed) {
    FileAct {
        open = Map.copyOf(open);
        sealed = Map.copyOf(sealed);
    }

    /// `user`: as whom; null where that is as ever.
    static FileAct of(String action, String path, @Nullable String user) {
        return new FileAct(action, Map.of(), Map.of("path", path)).word("user", user);
    }

    FileAct to(String path) {
        return word("to", path);
    }

    /// As it was asked for, in four digits; null where nobody did.
    FileAct mode(@Nullable String mode) {
        return mode == null ? this : fact("mode", FileModes.show(FileModes.parse(mode)));
    }

    FileAct owner(@Nullable String owner) {
        return word("owner", owner);
    }

    FileAct recursive(boolean recursive) {
        return fact("recursive", recursive);
    }

    /// Names of what is set and the beginning of those that go: values are content.
    FileAct attributes(Map<String, String> set, @Nullable String dropped) {
        var named = set.isEmpty() ? this : new FileAct(action, open, with(sealed, "attributes", List.copyOf(new TreeMap<>(set).keySet())));
        return named.word("dropped", dropped);
    }

    /// The bytes that take effect.
    FileAct sent(long bytes, String sha256) {
        return fact("bytes", bytes).word("sha256", sha256);
    }

    /// Which part of a file goes out; nothing where it is all.
    FileAct part(long size, long offset, long length) {
        return offset == 0 && length >= size ? this : fact("offset", offset).fact("length", length);
    }

    FileAct as(Outgoing form) {
        return fact("format", form.format().name().toLowerCase(Locale.ROOT));
    }

    FileAct unpacked(long bytes, long members) {
        return fact("bytes", bytes).fact("members", members);
    }

    FileAct failed(String code) {
        return fact("code", code);
    }

    private FileAct fact(String name, Object value) {
        return new FileAct(action, with(open, name, value), sealed);
    }

    private FileAct word(String name, @Nullable String value) {
        return value == null ? this : new FileAct(action, open, with(sealed, name, value));
    }

    private static Map<String, Object> with(Map<String, Object> facts, String name, Object value) {
        var more = new TreeMap<>(facts);
        more.put(name, value);
        return more;
    }
}
