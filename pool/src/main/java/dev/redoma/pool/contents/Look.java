// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Names;
import dev.redoma.kernel.Stat;
import dev.redoma.kernel.Xattrs;
import dev.redoma.model.wire.FoundCredential;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// One look over the saved uppers of a disk: counts by class, packages, secrets. With `redacting` or `removing` it takes out what it finds. One thread,
/// once. Close it.
final class Look implements Walk.Visitor, AutoCloseable {
    private static final int LISTED = 1000;

    private final Map<ContentClass, Tally> classes = new EnumMap<>(ContentClass.class);
    private final List<FoundCredential> credentials = new ArrayList<>();
    private final Packages packages = new Packages();
    private final FileScan scan;
    private final Walk walk;
    private final boolean reading;
    private final boolean redacting;
    private final Set<ContentClass> removing;
    private long beyond;
    private long deleted;
    private long unread;
    private boolean whole = true;

    /// `reading`: whether secrets are looked for at all; `known`: values that are looked for beside their kinds.
    Look(Bounds bounds, boolean reading, boolean redacting, Set<ContentClass> removing, Set<String> known) {
        long end = System.nanoTime() + bounds.time().toNanos();
        this.walk = new Walk(bounds, end);
        this.scan = new FileScan(known, bounds.bytes(), end);
        this.reading = reading;
        this.redacting = redacting;
        this.removing = removing;
    }

    /// The saved uppers of one disk, top first, all of them within the bounds; `lowers`: the layers below.
    Manifest over(List<Dir> uppers, List<Path> lowers) {
        for (Dir upper : uppers) {
            boolean seen = walk.over(upper, this);
            whole &= seen;
        }
        packages.dpkg(uppers, lowers);
        return new Manifest(whole, Map.copyOf(classes), deleted, List.copyOf(credentials), beyond, packages.changes(), unread);
    }

    Set<String> values() {
        return scan.values();
    }

    @Override
    public void entry(Dir dir, String name, Stat stat, String path, ContentClass of, boolean gone) {
        if (gone) {
            deleted++;
            packages.gone(name, path);
            return;
        }
        if (removing.contains(of)) {
            dir.unlink(name);
            return;
        }
        count(of, path, stat);
        if (!reading) {
            return;
        }
        boolean inAttribute = stat.type() == Stat.Type.FILE && inAttributes(dir, name, path);
        boolean inName = inName(name, path) | (stat.type() == Stat.Type.SYMLINK && inName(dir.readlink(name), path));
        if (inName && redacting) {
            dir.unlink(name);
        } else if (stat.type() == Stat.Type.FILE && stat.size() > 0) {
            inFile(dir, name, stat, path, of, inName || inAttribute);
        }
    }

    private void count(ContentClass of, String path, Stat stat) {
        classes.put(of, classes.getOrDefault(of, Tally.NONE).plus(() -> shown(path), stat.size()));
    }

    /// For people and JSON; what looks like a secret in it is not shown.
    private String shown(String path) {
        String out = Names.printable(path);
        List<Finding> found = scan.inName(out);
        for (Finding f : found.reversed()) {
            byte[] bytes = out.getBytes(StandardCharsets.UTF_8);
            out = new String(bytes, 0, f.from(), StandardCharsets.UTF_8) + "…"
                    + new String(bytes, f.to(), bytes.length - f.to(), StandardCharsets.UTF_8);
        }
        return out;
    }

    /// A directory whose name is a secret is told, and cannot be scrubbed.
    private boolean inName(String name, String path) {
        List<Finding> found = scan.inName(name);
        found.forEach(f -> found(new FoundCredential(shown(path), f.kind() + "-in-name", 0)));
        return !found.isEmpty();
    }

    /// In those that programs may set. One that holds a secret goes whole: nothing of a file's content is in it.
    private boolean inAttributes(Dir dir, String name, String path) {
        boolean any = false;
        for (String attribute : Xattrs.list(dir, name)) {
            if (!attribute.startsWith("user.")) {
                continue;
            }
            String text = attribute + "=" + Xattrs.get(dir, name, attribute).map(v -> new String(v, StandardCharsets.ISO_8859_1)).orElse("");
            List<Finding> found = scan.inName(text);
            found.forEach(f -> found(new FoundCredential(shown(path), f.kind() + "-in-attribute", 0)));
            any |= !found.isEmpty();
            if (redacting && !found.isEmpty()) {
                Xattrs.remove(dir, name, attribute);
            }
        }
        return any;
    }

    private void inFile(Dir dir, String name, Stat stat, String path, ContentClass of, boolean counted) {
        FileScan.Scanned scanned = scan.scan(dir, name, path, of);
        whole &= scanned.whole();
        unread += scanned.binary() ? 1 : 0;
        scanned.findings().forEach(f -> found(new FoundCredential(shown(path), f.kind(), f.line())));
        if (!scanned.findings().isEmpty() || counted) {
            count(ContentClass.CREDENTIALS, path, stat);
        }
        if (redacting && !scanned.findings().isEmpty()) {
            FileScan.redact(dir, name, stat, scanned.findings());
        }
    }

    private void found(FoundCredential credential) {
        if (credentials.size() < LISTED) {
            credentials.add(credential);
        } else {
            beyond++;
        }
    }

    @Override
    public void entered(Dir parent, String name, String path) {
        packages.entered(parent, name, path);
        if (reading) {
            inName(name, path);
            inAttributes(parent, name, path);
        }
    }

    /// Emptied ones below the top of their class go too: their names tell what was in them. Those of logs stay, services need them.
    @Override
    public void left(Dir parent, String name, ContentClass of, ContentClass above) {
        if (of == above && removing.contains(of) && of != ContentClass.LOGS) {
            try {
                parent.rmdir(name);
            } catch (KernelException e) {
                if (!e.is(Errno.ENOTEMPTY)) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void close() {
        scan.close();
    }
}
