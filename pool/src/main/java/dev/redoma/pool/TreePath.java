// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.util.ArrayList;
import java.util.List;

/// A member's path as its components: no `..`, no empty ones; a leading `/` counts for nothing.
record TreePath(List<String> parts) {

    static TreePath of(String name, ImportLimits limits) throws TarFlaw {
        if (name.length() > limits.name()) {
            throw new TarFlaw("its name is longer than " + limits.name() + " bytes");
        }
        var parts = new ArrayList<String>();
        for (var part : name.split("/")) {
            if (part.equals("..")) {
                throw new TarFlaw("its name has '..' in it");
            }
            if (part.indexOf('\0') >= 0) {
                throw new TarFlaw("its name has a NUL in it");
            }
            if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        if (parts.size() > limits.depth()) {
            throw new TarFlaw("it lies deeper than " + limits.depth() + " directories");
        }
        return new TreePath(parts);
    }

    boolean isRoot() {
        return parts.isEmpty();
    }

    String last() {
        return parts.getLast();
    }

    List<String> parents() {
        return parts.subList(0, parts.size() - 1);
    }
}
