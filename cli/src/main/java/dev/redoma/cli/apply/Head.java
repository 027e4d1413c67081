// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import dev.redoma.kernel.Stat;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Which folder a journal is of. Numbers of devices may differ after a start of the machine, and folders are moved: it is the same by its inode with one of the two others.
/// `staging`: the inode of the directory that was made in it, once it is.
record Head(String target, String device, long inode, @Nullable Long staging) {
    static Head of(Path target, Stat root, @Nullable Long staging) {
        return new Head(target.toString(), device(root), root.inode(), staging);
    }

    boolean is(Path path, Stat root) {
        return inode == root.inode() && (device.equals(device(root)) || target.equals(path.toString()));
    }

    private static String device(Stat root) {
        return root.volume().major() + ":" + root.volume().minor();
    }
}
