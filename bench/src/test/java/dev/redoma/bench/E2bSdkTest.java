// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// E2B's published SDKs, unmodified, against a server that they are pointed at by two URLs and a key. Every row of their tables must be what the
/// scripts say, and docs/protocols/e2b.md is made of the rows.
@ExtendWith(LabExtension.class)
@Timeout(900)
class E2bSdkTest {
    private static final List<String> SCRIPTS = List.of("control", "saved", "envd");
    /// `-De2b.only=envd`: that script alone, and the page is left as it is.
    private static final @Nullable String ONLY = System.getProperty("e2b.only");
    private static final String BEGIN = "<!-- from here on made by E2bSdkTest -->\n";

    @Test
    void dx03_everyCallOfThePublishedSdksDoesWhatThePageSays(Lab lab, @TempDir Path work) throws IOException {
        assumeTrue(SdkPlace.offered(), "no node, npm or python3 with venv on this host");
        lab.base().close();
        var root = Path.of(System.getProperty("redoma.root"));
        var scripts = root.resolve("bench/src/test/resources/e2b");
        var place = new SdkPlace(scripts);
        var environment = Map.of("E2B_API_URL", lab.api().base().toString(), "E2B_SANDBOX_URL", lab.rig().router(), "E2B_API_KEY", lab.api().key(), "E2B_VOLUME_API_URL", lab.api().base().toString(),
                "PYTHONDONTWRITEBYTECODE", "1");
        var node = new SdkTable();
        var python = new SdkTable();
        var wrong = new ArrayList<String>();
        for (var script : ONLY == null ? SCRIPTS : List.of(ONLY)) {
            for (var version : List.of("2.45.0", "2.51.0")) {
                var done = SdkPlace.run(place.node(work), List.of("node", script + ".mjs", version.equals("2.45.0") ? "e2b-old" : "e2b-new"), environment);
                taken(node, version, script, done, wrong);
            }
            for (var version : List.of("2.45.1", "2.63.0")) {
                var done = SdkPlace.run(work, List.of(place.python(version).toString(), scripts.resolve(script + ".py").toString()), environment);
                taken(python, version, script, done, wrong);
            }
        }
        var cli = new SdkTable();
        taken(cli, "2.19.0", "cli", SdkPlace.run(place.node(work), List.of("node", "cli.mjs"), environment), wrong);
        assertThat(wrong).isEmpty();
        if (ONLY != null) {
            return;
        }
        current(root.resolve("docs/protocols/e2b.md"), "\n## JavaScript: `e2b`\n\n" + node.markdown() + "\n## Python: `e2b`\n\n" + python.markdown()
                + "\n## Command line: `@e2b/cli`\n\n" + cli.markdown());
    }

    private static void taken(SdkTable table, String version, String script, SdkPlace.Done done, List<String> wrong) {
        var rows = SdkTable.rows(done.output());
        table.add(version, rows);
        rows.stream().filter(r -> r.outcome().equals("fails")).forEach(r -> wrong.add(version + " " + r.call() + ": " + r.note()));
        if (done.code() != 0 || rows.isEmpty()) {
            wrong.add(version + " " + script + " ended with " + done.code() + (rows.isEmpty() ? ": " + done.output() : ""));
        }
    }

    /// `-De2b.write=true` writes the page anew.
    private static void current(Path page, String made) throws IOException {
        var text = Files.readString(page);
        int at = text.indexOf(BEGIN);
        assertThat(at).as("the mark in " + page).isPositive();
        if (Boolean.getBoolean("e2b.write")) {
            Files.writeString(page, text.substring(0, at) + BEGIN + made);
        } else {
            assertThat(text.substring(at + BEGIN.length())).as(page + ": write it anew with -De2b.write=true").isEqualTo(made);
        }
    }
}
