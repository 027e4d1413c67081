// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.model.Amounts;
import dev.redoma.model.wire.ContentTally;
import dev.redoma.model.wire.FoundCredential;
import dev.redoma.model.wire.PackageChange;
import dev.redoma.model.wire.Snapshot;
import dev.redoma.model.wire.SnapshotContents;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// Saved disks for people.
final class SnapshotText {
    private static final int LISTED = 50;

    private SnapshotText() {}

    static String table(List<Snapshot> all) {
        var rows = new ArrayList<List<String>>();
        for (Snapshot s : all) {
            rows.add(List.of(s.id(), Text.or(s.name()), s.tags().isEmpty() ? "-" : Text.safe(String.join(",", s.tags())), s.sandbox(), s.template().name(),
                    Text.ago(s.createdAt()), Text.until(s.expiresAt())));
        }
        return Text.table(List.of("ID", "NAME", "TAGS", "SANDBOX", "TEMPLATE", "CREATED", "EXPIRES"), rows);
    }

    static String of(Snapshot s, SnapshotContents in) {
        var facts = new Facts().line("id", s.id()).line("name", s.name()).line("tags", s.tags().isEmpty() ? null : String.join(", ", s.tags()))
                .line("sandbox", s.sandbox()).line("template", s.template().name() + " " + s.template().digest()).line("digest", s.digest())
                .line("created", s.createdAt()).line("expires", s.expiresAt()).line("kept", s.keepCount() == null ? null : "the newest " + s.keepCount())
                .line("labels", s.labels().isEmpty() ? null : s.labels());
        var scrubbed = new ArrayList<String>();
        new TreeMap<>(s.scrubbed()).forEach((name, what) -> scrubbed.add(name + " (" + Amounts.count(what.files(), "file") + ", " + Text.size(what.bytes()) + ")"));
        return facts.line("scrubbed", scrubbed.isEmpty() ? null : String.join(", ", scrubbed)).text() + "\n" + contents(in);
    }

    private static String contents(SnapshotContents in) {
        var rows = new ArrayList<List<String>>();
        for (ContentTally t : in.classes()) {
            rows.add(List.of(t.name(), t.order(), String.valueOf(t.files()), Text.size(t.bytes()), t.samples().isEmpty() ? "-" : Text.safe(String.join(" ", t.samples()))));
        }
        var out = new StringBuilder(Text.table(List.of("CLASS", "ORDER", "FILES", "BYTES", "SUCH AS"), rows));
        packages(in.packages(), out);
        credentials(in, out);
        out.append("\ndeleted from the layers below: ").append(in.deleted()).append("; not text, so not searched for secrets: ").append(in.unread()).append('\n');
        if (!in.whole()) {
            out.append("NOT ALL OF IT WAS LOOKED AT: it is larger, deeper or slower to read than the bounds\n");
        }
        return out.toString();
    }

    private static void packages(List<PackageChange> packages, StringBuilder out) {
        if (!packages.isEmpty()) {
            var rows = packages.stream().limit(LISTED).map(p -> List.of(p.manager(), p.change(), Text.safe(p.name()), Text.safe(p.version()))).toList();
            out.append('\n').append(Text.table(List.of("MANAGER", "CHANGE", "PACKAGE", "VERSION"), rows));
            more(packages.size(), out);
        }
    }

    private static void credentials(SnapshotContents in, StringBuilder out) {
        if (!in.credentials().isEmpty()) {
            var rows = new ArrayList<List<String>>();
            for (FoundCredential c : in.credentials().subList(0, Math.min(LISTED, in.credentials().size()))) {
                rows.add(List.of(c.kind(), String.valueOf(c.line()), Text.safe(c.path())));
            }
            out.append('\n').append(Text.table(List.of("CREDENTIAL", "LINE", "FILE"), rows));
            more(in.credentials().size() + in.credentialsBeyond(), out);
        }
    }

    private static void more(long all, StringBuilder out) {
        if (all > LISTED) {
            out.append("… and ").append(all - LISTED).append(" more: --json\n");
        }
    }
}
