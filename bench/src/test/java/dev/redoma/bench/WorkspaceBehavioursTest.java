// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A workspace from git, over the wire: cloned inside, by the sandbox's own git, from what the sandbox can reach.
@ExtendWith(LabExtension.class)
@Timeout(180)
class WorkspaceBehavioursTest {
    private static final List<Map<String, Object>> MOUNTS = List.of(Map.of("name", "repositories", "path", "/srv/git", "readOnly", true));
    private static Lab lab;
    private static String main;
    private static String side;

    @BeforeAll
    static void repository(Lab shared) {
        lab = shared;
        lab.api().post("/v1/volumes", Map.of("name", "repositories", "sizeBytes", 64 << 20)).expect(201);
        try (var writer = lab.base(Map.of("volumes", List.of(Map.of("name", "repositories", "path", "/srv/git"))))) {
            var said = writer.sh("set -e; cd /srv/git; git init -q -b main app; cd app; git config user.email a@b.c; git config user.name a; echo one > f; git add f; git commit -qm one;"
                    + " git rev-parse HEAD; git checkout -qb side; echo two > f; git commit -qam two; git rev-parse HEAD; git tag v1; git checkout -q main");
            assertThat(said.code()).as(said.errText()).isZero();
            main = said.text().split("\n")[0];
            side = said.text().split("\n")[1];
        }
    }

    @AfterAll
    static void end() {
        lab.api().delete("/v1/volumes/repositories").expect(204);
    }

    private static Map<String, Object> from(String source) {
        return Map.of("volumes", MOUNTS, "labels", Map.of("test", "workspace"), "workspace", Map.of("from", source));
    }

    @Test
    void aBranchTagOrCommitIsThereBeforeTheSandboxIsAndItsIdIsKnown() {
        for (var wanted : Map.of("", main, "#main", main, "#side", side, "#v1", side, "#" + side, side).entrySet()) {
            try (var box = lab.base(from("git:file:///srv/git/app" + wanted.getKey()))) {
                var workspace = box.created().get("workspace");
                assertThat(workspace.get("commit").asString()).as(wanted.getKey()).isEqualTo(wanted.getValue());
                assertThat(workspace.get("path").asString()).isEqualTo("/home/user/workspace");
                assertThat(box.sh("cd workspace && cat f && git rev-parse HEAD && stat -c %U f").text())
                        .isEqualTo((wanted.getValue().equals(main) ? "one\n" : "two\n") + wanted.getValue() + "\nuser\n");
                assertThat(box.show().get("workspace").get("commit").asString()).isEqualTo(wanted.getValue());
                var records = lab.api().get("/v1/audit?sandbox=" + box.id() + "&limit=200").expect(200).json().get("items");
                assertThat(records.valueStream().filter(r -> r.get("action").asString().equals("workspace")).map(r -> r.get("fields").get("commit").asString())).containsExactly(wanted.getValue());
            }
        }
    }

    /// The git of this template waits for a file on the volume.
    @Test
    void whoAsksForANameThatIsStillBeingFilledWaitsForIt() throws Exception {
        lab.base().close();
        var build = Building.of(lab.api(), "slow-git", """
                FROM base
                USER root
                RUN printf '#!/bin/sh\\nwhile [ ! -e /srv/git/go ]; do sleep 0.05; done\\nexec /usr/bin/git "$@"\\n' > /usr/local/bin/git && chmod 755 /usr/local/bin/git
                USER user
                """);
        assertThat(build.get("state").asString()).as(build.toString()).isEqualTo("ready");
        var request = Map.of("template", "slow-git", "name", "filled", "getOrCreate", true, "volumes", MOUNTS, "workspace", Map.of("from", "git:file:///srv/git/app#side"));
        var first = java.util.concurrent.CompletableFuture.supplyAsync(() -> lab.api().post("/v1/sandboxes", request));
        org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(60))
                .until(() -> lab.api().get("/v1/sandboxes/filled").status() == 200 && lab.api().get("/v1/sandboxes/filled/execs").expect(200).text().contains("clone"));
        var second = java.util.concurrent.CompletableFuture.supplyAsync(() -> lab.api().post("/v1/sandboxes", request));
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> second.get(1, java.util.concurrent.TimeUnit.SECONDS)).isInstanceOf(java.util.concurrent.TimeoutException.class);
        lab.api().put("/v1/volumes/repositories/files?path=/go", new byte[0], "application/octet-stream").expect(200);
        try (var box = new Box(lab.api(), first.get(60, java.util.concurrent.TimeUnit.SECONDS).expect(201).json())) {
            var answer = second.get(60, java.util.concurrent.TimeUnit.SECONDS).expect(200).json();
            assertThat(answer.get("id").asString()).isEqualTo(box.id());
            assertThat(answer.get("workspace").get("commit").asString()).isEqualTo(side);
        } finally {
            lab.api().delete("/v1/volumes/repositories/files?path=/go");
            lab.api().delete("/v1/templates/slow-git");
        }
    }

    @Test
    void whatCannotBeClonedIsToldAndLeavesNoSandbox() {
        for (var source : List.of("git:file:///srv/git/none", "git:file:///srv/git/app#nosuchbranch")) {
            var request = new java.util.HashMap<String, Object>(from(source));
            request.put("template", "base");
            var answer = lab.api().post("/v1/sandboxes", request);
            assertThat(answer.status()).as(source + answer.text()).isEqualTo(422);
            assertThat(answer.code()).isEqualTo("setup-failed");
            assertThat(answer.json().get("detail").asString()).contains("git ");
        }
        assertThat(lab.api().get("/v1/sandboxes?label=test%3Dworkspace").expect(200).json().get("items").size()).isZero();
    }

    @Test
    void whatLeadsOutOrHoldsATokenIsRefusedByName() {
        for (var source : List.of("git:https://example.com/a.git", "git:http://example.com/a", "git:https://10.0.0.1:8443/a")) {
            var answer = lab.api().post("/v1/sandboxes", Map.of("template", "tiny", "workspace", Map.of("from", source)));
            assertThat(answer.status()).as(source).isEqualTo(403);
            assertThat(answer.code()).isEqualTo("policy-refused");
            assertThat(answer.json().get("details").get("host").asString()).isIn("example.com", "10.0.0.1");
            assertThat(answer.json().get("details").get("reason").asString()).isEqualTo("no-network");
        }
        for (var source : List.of("git:ssh://git@example.com/a", "git:git@example.com:a.git", "git:git://example.com/a", "git:ext::sh -c id")) {
            var answer = lab.api().post("/v1/sandboxes", Map.of("template", "tiny", "workspace", Map.of("from", source)));
            assertThat(answer.status()).as(source).isEqualTo(501);
            assertThat(answer.json().get("details").get("field").asString()).isEqualTo("workspace.from");
        }
        for (var source : List.of("git:https://user:token@example.com/a.git", "git:https://token@example.com/a", "git:https://example.com/a?private_token=x", "git:https://example.com:0/a", "git:https:///a", "git:https://exa mple.com/a", "svn:x", "git:file:///a#-x", "git:file:///a#x--upload-pack=x", "git:file:///a#a..b")) {
            assertThat(lab.api().post("/v1/sandboxes", Map.of("template", "tiny", "workspace", Map.of("from", source))).status()).as(source).isEqualTo(400);
        }
        for (var path : List.of("../x", "a/../../b", "-x", "")) {
            var answer = lab.api().post("/v1/sandboxes", Map.of("template", "tiny", "workspace", Map.of("from", "git:file:///a", "path", path)));
            assertThat(answer.json().get("details").get("field").asString()).isEqualTo("workspace.path");
        }
    }

    @Test
    void theCommandLineTakesASourceWhereAFolderCouldBe() throws Exception {
        var run = Redoma.of(lab).call("run", "-q", "--template", "base", "--volume", "repositories:/srv/git:ro", "--workspace", "git:file:///srv/git/app#side", "--", "cat", "f");
        assertThat(run.text()).as(run.err()).isEqualTo("two\n");
    }
}
