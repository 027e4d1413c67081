// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.KernelException;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.FoundCredential;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// Brings the copy of a disk to what a policy orders of each class, before anybody sees it: refuses, takes out, and looks again. The
/// tree is hostile: no link is followed, every look has bounds, and what could not be looked at whole is a failure.
public final class Scrub {
    private static final int SHOWN = 20;

    private Scrub() {}

    /// Of the copies of one disk's saved uppers, top first. Returns what was taken out, by class. CONTENTS_REFUSED if the policy refuses what
    /// is in it; SCRUB_FAILED if it cannot be done whole.
    public static Map<ContentClass, Tally> run(List<Path> copies, Map<ContentClass, Order> orders, Bounds bounds) {
        try (var uppers = Uppers.open(copies)) {
            uppers.dirs().forEach(Identity::remove);
            if (orders.values().stream().allMatch(o -> o == Order.KEEP)) {
                return Map.of();
            }
            return ordered(uppers.dirs(), orders, bounds);
        } catch (KernelException | IllegalStateException failed) {
            throw failed("it could not be read and changed to its end (" + failed.getMessage() + ")", List.of()).raise(failed);
        }
    }

    private static Map<ContentClass, Tally> ordered(List<Dir> dirs, Map<ContentClass, Order> orders, Bounds bounds) {
        boolean reading = orders.getOrDefault(ContentClass.CREDENTIALS, Order.KEEP) != Order.KEEP;
        Set<String> values;
        Manifest before;
        try (var look = new Look(bounds, reading, false, Set.of(), Set.of())) {
            before = whole(look.over(dirs, List.of()));
            values = look.values();
        }
        mustNotHold(before, with(orders, Order.REFUSE));
        Set<ContentClass> scrubbed = with(orders, Order.SCRUB);
        var taken = new EnumMap<ContentClass, Tally>(ContentClass.class);
        scrubbed.stream().filter(c -> has(before, c)).forEach(c -> taken.put(c, before.of(c)));
        if (!taken.isEmpty()) {
            takeOut(dirs, bounds, scrubbed, values);
        }
        return taken;
    }

    private static void takeOut(List<Dir> dirs, Bounds bounds, Set<ContentClass> scrubbed, Set<String> values) {
        var files = EnumSet.copyOf(scrubbed);
        boolean credentials = files.remove(ContentClass.CREDENTIALS);
        try (var look = new Look(bounds, credentials, credentials, files, values)) {
            whole(look.over(dirs, List.of()));
        }
        try (var again = new Look(bounds, credentials, false, Set.of(), values)) {
            Manifest after = whole(again.over(dirs, List.of()));
            List<String> left = scrubbed.stream().filter(c -> has(after, c)).map(ContentClass::wire).toList();
            if (!left.isEmpty() || dirs.stream().anyMatch(Identity::isThere)) {
                throw failed("after it there was still: " + (left.isEmpty() ? "identity" : String.join(", ", left)), paths(after, scrubbed)).raise();
            }
        }
    }

    private static boolean has(Manifest manifest, ContentClass c) {
        return manifest.of(c).files() > 0 || c == ContentClass.CREDENTIALS && !manifest.credentials().isEmpty();
    }

    private static Set<ContentClass> with(Map<ContentClass, Order> orders, Order order) {
        return orders.entrySet().stream().filter(e -> e.getValue() == order).map(Map.Entry::getKey)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(ContentClass.class)));
    }

    private static void mustNotHold(Manifest manifest, Set<ContentClass> refused) {
        List<String> there = refused.stream().filter(c -> has(manifest, c)).map(ContentClass::wire).toList();
        if (!there.isEmpty()) {
            throw Problem.of(Code.CONTENTS_REFUSED, "The disk holds what the policy refuses to save: " + String.join(", ", there) + ".",
                            "Remove it from the sandbox, or order less of that class where the operator's configuration lets you.")
                    .with("classes", there).with("found", paths(manifest, refused)).raise();
        }
    }

    private static List<String> paths(Manifest manifest, Set<ContentClass> classes) {
        var credentials = classes.contains(ContentClass.CREDENTIALS)
                ? firsts(manifest.credentials()) : List.<String>of();
        return java.util.stream.Stream.concat(credentials.stream(),
                        classes.stream().filter(c -> c != ContentClass.CREDENTIALS).flatMap(c -> manifest.of(c).samples().stream()))
                .limit(SHOWN).toList();
    }

    /// One of each file.
    private static List<String> firsts(List<FoundCredential> all) {
        var seen = new HashSet<String>();
        return all.stream().filter(c -> seen.add(c.path())).map(c -> c.path() + ":" + c.line() + " " + c.kind()).toList();
    }

    private static Manifest whole(Manifest manifest) {
        if (!manifest.whole()) {
            throw failed("the disk has more files, deeper directories or more bytes than are looked at", List.of()).raise();
        }
        return manifest;
    }

    private static Problem failed(String why, List<String> found) {
        Problem problem = Problem.of(Code.SCRUB_FAILED, "The copy of the disk was not brought to what the policy orders, so nothing was saved: " + why + ".",
                "Remove what is in the way from the sandbox.");
        return found.isEmpty() ? problem : problem.with("found", found);
    }

    /// What is in a saved disk now: in its saved uppers (top first), against the layers below.
    public static Manifest look(List<Path> saved, List<Path> lowers, Bounds bounds) {
        try (var uppers = Uppers.open(saved); var look = new Look(bounds, true, false, Set.of(), Set.of())) {
            return look.over(uppers.dirs(), lowers);
        }
    }
}
