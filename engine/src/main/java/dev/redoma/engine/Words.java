// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import com.google.protobuf.ByteString;
import dev.redoma.kernel.Names;
import dev.redoma.model.Problem;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/// Text of a request as the bytes that Linux takes: UTF-8 without NUL. What has no such bytes is refused by the field's name.
final class Words {
    static final int MAX_PATH = 4095;

    private Words() {}

    static ByteString bytes(String field, String text) {
        if (text.indexOf('\0') >= 0) {
            throw Problem.field(field, "holds a NUL character", "text without NUL");
        }
        try {
            return ByteString.copyFrom(StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text)));
        } catch (CharacterCodingException e) {
            throw Problem.field(field, "holds half of a surrogate pair, which has no bytes", "well-formed Unicode text");
        }
    }

    /// As names are shown, so they are named: `\xNN` is that byte (docs/api.md).
    static ByteString path(String field, String text) {
        var plain = bytes(field, text);
        var bytes = text.indexOf('\\') < 0 ? plain : ByteString.copyFrom(Names.encode(Names.parse(text)));
        if (bytes.isEmpty()) {
            throw Problem.field(field, "is empty", "a path");
        }
        if (bytes.size() > MAX_PATH) {
            throw Problem.field(field, "has " + bytes.size() + " bytes", "a path of at most " + MAX_PATH + " bytes");
        }
        return bytes;
    }

    /// Attributes of a file: names `user.*` of at most 255 bytes, all of them at most 4,096.
    static Map<String, ByteString> xattrs(Map<String, String> xattrs) {
        var all = new TreeMap<String, ByteString>();
        int size = 0;
        for (var e : xattrs.entrySet()) {
            var name = bytes("xattrs", e.getKey());
            if (!e.getKey().startsWith("user.") || name.size() <= 5 || name.size() > 255) {
                throw Problem.field("xattrs", "'" + GuestErrors.clean(e.getKey()) + "' is no name of an attribute", "names user.* of at most 255 bytes");
            }
            all.put(e.getKey(), bytes("xattrs." + e.getKey(), e.getValue()));
            size += name.size() + all.get(e.getKey()).size();
        }
        if (size > 4096) {
            throw Problem.field("xattrs", "have " + size + " bytes together", "at most 4096 bytes of names and values");
        }
        return all;
    }

    /// A user as the guest resolves it: a name, a uid, `uid:gid` or `name:group`.
    static String user(String text) {
        boolean odd = text.isEmpty() || text.length() > 128 || text.chars().anyMatch(c -> c <= ' ' || c == 127);
        if (odd || text.chars().filter(c -> c == ':').count() > 1) {
            throw Problem.field("user", "is no user", "a name, uid, uid:gid or name:group of at most 128 characters");
        }
        bytes("user", text);
        return text;
    }
}
