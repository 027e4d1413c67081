// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Stat;
import dev.redoma.kernel.Xattrs;
import java.util.Arrays;
import java.util.TreeMap;

/// Compares mode, owner (as seen inside) and the attributes that count of one entry as it was and is.
final class SameAttributes {
    private SameAttributes() {}

    static boolean of(String name, Lowers.Found now, Lowers.Found old) {
        return (now.stat().type() == Stat.Type.SYMLINK || now.stat().mode() == old.stat().mode())
                && now.stat().uid() - now.uidBase() == old.stat().uid() - old.uidBase()
                && now.stat().gid() - now.uidBase() == old.stat().gid() - old.uidBase()
                && xattrs(now, name).equals(xattrs(old, name));
    }

    private static TreeMap<String, String> xattrs(Lowers.Found found, String name) {
        var out = new TreeMap<String, String>();
        for (var attribute : Xattrs.list(found.dir(), name)) {
            if (attribute.startsWith("user.") || attribute.equals(FileCapabilities.NAME)) {
                out.put(attribute, Xattrs.get(found.dir(), name, attribute).map(v -> text(attribute, v)).orElse(""));
            }
        }
        return out;
    }

    /// Of capabilities the bits alone: a copy within a user namespace gets another version and root uid.
    private static String text(String attribute, byte[] value) {
        boolean capability = attribute.equals(FileCapabilities.NAME) && value.length >= 20;
        return Arrays.toString(capability ? Arrays.copyOfRange(value, 4, 20) : value);
    }
}
