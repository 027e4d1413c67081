// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// E2B's published SDKs and command line, unmodified, against a server that they are pointed at by environment variables alone: by two URLs, and by a
/// domain over TLS. Every row of their tables must be what the scripts say, and docs/protocols/e2b.md is made of the rows.
@Timeout(1800)
class E2bSdkTest {
    private static final List<String> SCRIPTS = List.of("control", "saved", "envd", "ways");
    /// `-De2b.only=envd`: that script alone; in the page the rows of the others are left as they are.
    private static final @Nullable String ONLY = System.getProperty("e2b.only");
    /// `-De2b.way=tls` or `plain`: that way alone; in the page the columns of the others are left as they are.
    private static final @Nullable String WAY = System.getProperty("e2b.way");
    private static final String BEGIN = "<!-- from here on made by E2bSdkTest -->\n";
    private static final String NODE = "## JavaScript: `e2b`";
    private static final String PYTHON = "## Python: `e2b`";
    private static final String CLI = "## Command line: `@e2b/cli`";
    private static final String NOVITA_NODE = "## JavaScript: `novita-sandbox`";
    private static final String NOVITA_PYTHON = "## Python: `novita-sandbox`";
    private static final String NOVITA = "2.1.1";

    private final Path root = Path.of(System.getProperty("redoma.root"));
    private final Path scripts = root.resolve("bench/src/test/resources/e2b");
    private final SdkPlace place = new SdkPlace(scripts);
    private final SdkTable node = new SdkTable();
    private final SdkTable python = new SdkTable();
    private final SdkTable cli = new SdkTable();
    private final SdkTable novitaNode = new SdkTable();
    private final SdkTable novitaPython = new SdkTable();
    private final List<String> wrong = new ArrayList<>();

    @Test
    void dx03_everyCallOfThePublishedSdksDoesWhatThePageSays(@TempDir Path work) throws IOException {
        assumeTrue(SdkPlace.offered(), "no node, npm or python3 with venv on this host");
        try (var lab = SdkLab.start(work)) {
            if (!"tls".equals(WAY)) {
                everything(lab.plain(), "", work);
            }
            if (!"plain".equals(WAY)) {
                everything(lab.tls(), " TLS", work);
            }
        }
        assertThat(wrong).isEmpty();
        page();
    }

    /// The older versions as well: where that is asked for, and in the long lane once the page has them both ways.
    private boolean all() throws IOException {
        return Boolean.getBoolean("e2b.all") || System.getProperty("long") != null && Files.readString(root.resolve("docs/protocols/e2b.md")).contains("| 2.45.0 TLS |");
    }

    private void everything(SdkLab.Way way, String column, Path work) throws IOException {
        for (var script : ONLY == null ? SCRIPTS : SCRIPTS.contains(ONLY) ? List.of(ONLY) : List.<String>of()) {
            for (var version : all() ? List.of("2.45.0", "2.51.0") : List.of("2.51.0")) {
                var done = way.run(place.node(work), List.of("node", script + ".mjs", version.equals("2.45.0") ? "e2b-old" : "e2b-new"));
                taken(node, version + column, script, done);
            }
            for (var version : all() ? List.of("2.45.1", "2.63.0") : List.of("2.63.0")) {
                var file = scripts.resolve(script + ".py");
                if (Files.exists(file)) {
                    taken(python, version + column, script, way.run(work, List.of(place.python(version).toString(), file.toString())));
                }
            }
        }
        if (ONLY == null || ONLY.equals("cli")) {
            taken(cli, "2.19.0" + column, "cli", way.run(place.node(work), List.of("node", "cli.mjs")));
        }
        if (ONLY == null || ONLY.equals("novita")) {
            taken(novitaNode, NOVITA + column, "novita", way.run(place.node(work), List.of("node", "novita.mjs")));
            taken(novitaPython, NOVITA + column, "novita", way.run(work, List.of(place.python("novita-" + NOVITA).toString(), scripts.resolve("novita.py").toString())));
        }
    }

    private void taken(SdkTable table, String version, String script, SdkPlace.Done done) {
        var rows = SdkTable.rows(done.output());
        table.add(version, rows);
        rows.stream().filter(r -> r.outcome().equals("fails")).forEach(r -> wrong.add(version + " " + r.call() + ": " + r.note()));
        if (done.code() != 0 || rows.isEmpty()) {
            wrong.add(version + " " + script + " ended with " + done.code() + (rows.isEmpty() ? ": " + done.output() : ""));
        }
    }

    /// `-De2b.write=true` writes what was seen into the page, with `-De2b.all=true` all versions.
    private void page() throws IOException {
        var page = root.resolve("docs/protocols/e2b.md");
        var text = Files.readString(page);
        int at = text.indexOf(BEGIN);
        assertThat(at).as("the mark in " + page).isPositive();
        var old = text.substring(at + BEGIN.length());
        var made = new StringBuilder();
        for (var part : List.of(new Part(NODE, node), new Part(PYTHON, python), new Part(CLI, cli), new Part(NOVITA_NODE, novitaNode), new Part(NOVITA_PYTHON, novitaPython))) {
            var before = section(old, part.title());
            var now = section(old, part.title());
            now.replaced(part.seen(), ONLY != null);
            if (!Boolean.getBoolean("e2b.write")) {
                assertThat(now.says(before)).as("%s says of %s what was seen: write it anew with -De2b.write=true (all versions: -De2b.all=true)%n%s", page, part.title(), now.markdown()).isTrue();
            }
            made.append("\n").append(part.title()).append("\n\n").append(now.markdown());
        }
        if (Boolean.getBoolean("e2b.write")) {
            Files.writeString(page, text.substring(0, at) + BEGIN + made);
        }
    }

    private record Part(String title, SdkTable seen) {}

    /// A table as it is in the page.
    private static SdkTable section(String old, String title) {
        int from = old.indexOf(title);
        int to = from < 0 ? -1 : old.indexOf("\n## ", from);
        return from < 0 ? new SdkTable() : SdkTable.parse(old.substring(from, to < 0 ? old.length() : to));
    }
}
