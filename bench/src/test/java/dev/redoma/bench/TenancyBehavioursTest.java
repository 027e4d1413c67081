// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Section 13 of the behaviours, and that two sandboxes do not see each other.
@ExtendWith(LabExtension.class)
@Timeout(120)
class TenancyBehavioursTest {

    @Test
    void mt01_anotherTenantsSandboxAnswersOnEveryRouteAsARandomIdDoes(Lab lab) {
        var other = lab.tenant("other");
        try (var box = lab.tiny()) {
            var exec = box.start(List.of("sleep", "30"));
            var random = "sb" + "0".repeat(18);
            for (var route : routes(exec)) {
                var foreign = other.send(route.apply(other, box.id()));
                var unknown = other.send(route.apply(other, random));
                assertThat(foreign.status()).as(route.name).isEqualTo(404).isEqualTo(unknown.status());
                assertThat(foreign.text().replace(box.id(), "X")).as(route.name).isEqualTo(unknown.text().replace(random, "X"));
            }
            assertThat(box.exec(exec).get("state").asString()).isEqualTo("running");
            assertThat(other.get("/v1/sandboxes").json().get("items").size()).isZero();
        }
    }

    private record Route(String name, String method, String path, String body) {
        java.net.http.HttpRequest apply(Api api, String sandbox) {
            var body = this.body == null ? java.net.http.HttpRequest.BodyPublishers.noBody() : java.net.http.HttpRequest.BodyPublishers.ofString(this.body);
            var type = path.contains("archive") ? "application/x-tar" : path.contains("/files?") || path.contains("stdin") ? "application/octet-stream" : "application/json";
            return api.request("/v1/sandboxes/" + sandbox + path).header("Content-Type", type).method(method, body).build();
        }
    }

    private static List<Route> routes(String exec) {
        var routes = new ArrayList<Route>();
        for (var get : List.of("", "/usage", "/changes", "/execs", "/execs/" + exec, "/execs/" + exec + "/output", "/files/stat?path=/", "/files/list?path=/",
                "/files?path=/etc/passwd", "/archive?path=/etc", "/files/watch?path=/tmp")) {
            routes.add(new Route("GET " + get, "GET", get, null));
        }
        for (var post : List.of("/pause", "/resume", "/stop", "/start", "/reset", "/snapshots", "/fork", "/files/mkdir", "/files/move", "/files/attributes")) {
            routes.add(new Route("POST " + post, "POST", post, post.endsWith("mkdir") || post.endsWith("attributes") ? "{\"path\":\"/tmp/q\",\"mode\":\"0700\"}"
                    : post.endsWith("move") ? "{\"from\":\"/a\",\"to\":\"/b\"}" : "{}"));
        }
        routes.add(new Route("lifetime", "POST", "/lifetime", "{\"lifetimeMs\":60000}"));
        routes.add(new Route("exec", "POST", "/execs", "{\"argv\":[\"true\"]}"));
        routes.add(new Route("stdin", "POST", "/execs/" + exec + "/stdin?close=true", ""));
        routes.add(new Route("resize", "POST", "/execs/" + exec + "/resize", "{\"cols\":80,\"rows\":24}"));
        routes.add(new Route("signal", "POST", "/execs/" + exec + "/signal", "{\"signal\":15}"));
        routes.add(new Route("kill exec", "DELETE", "/execs/" + exec, null));
        routes.add(new Route("put file", "PUT", "/files?path=/tmp/q", "x"));
        routes.add(new Route("delete file", "DELETE", "/files?path=/etc/passwd", null));
        routes.add(new Route("put archive", "PUT", "/archive?path=/tmp", ""));
        routes.add(new Route("kill", "DELETE", "", null));
        return routes;
    }

    @Test
    void mt02_aRevokedKeyStopsWorkingAndKeysAreShownOnce(Lab lab) {
        var made = lab.api().post("/v1/keys", Map.of("name", "short", "tenant", "default", "scopes", List.of("read", "create", "exec"))).expect(201).json();
        var key = lab.api().as(made.get("value").asString());
        assertThat(made.get("value").asString()).matches("e2b_[0-9a-f]{40}");
        assertThat(key.get("/v1/sandboxes").status()).isEqualTo(200);
        assertThat(lab.api().get("/v1/keys").text()).doesNotContain(made.get("value").asString());
        lab.api().delete("/v1/keys/" + made.get("key").get("id").asString()).expect(204);
        assertThat(key.get("/v1/sandboxes").expect(401).code()).isEqualTo("unauthenticated");
    }

    @Test
    void mt03_aTenantKeyMayNotDoWhatOperatorsDo(Lab lab) {
        var tenant = lab.tenant("small");
        assertThat(tenant.get("/v1/keys").status()).isEqualTo(403);
        assertThat(tenant.post("/v1/keys", Map.of("name", "x", "scopes", List.of("operate"))).status()).isEqualTo(403);
        assertThat(tenant.delete("/v1/sandboxes?all=true").status()).isEqualTo(403);
        assertThat(tenant.put("/v1/templates/t", new byte[1024], "application/x-tar").status()).isEqualTo(403);
        assertThat(lab.api().post("/v1/keys", Map.of("name", "both", "scopes", List.of("approve", "exec"))).status()).isEqualTo(400);
        assertThat(lab.api().as("e2b_" + "0".repeat(40)).get("/v1").expect(401).code()).isEqualTo("unauthenticated");
    }

    @Test
    void twoSandboxesSeeNeitherProcessesNorFilesNorPortsOfEachOther(Lab lab) {
        try (var one = lab.tiny(); var two = lab.tiny()) {
            one.start(List.of("sleep", "777"));
            one.write("/tmp/secret-of-one", "s".getBytes(StandardCharsets.UTF_8));
            one.start(Box.shell("nc -l -p 9123 < /etc/passwd"));
            assertThat(two.sh("ps; ls /tmp; (nc -w 1 127.0.0.1 9123 < /dev/null || echo refused); cat /proc/net/dev | wc -l").text())
                    .doesNotContain("777").doesNotContain("secret-of-one").contains("refused").endsWith("3\n");
            assertThat(two.sh("cat /proc/self/uid_map").text()).isNotEqualTo(one.sh("cat /proc/self/uid_map").text());
        }
    }

    @Test
    void se02_nothingOfTheServersEnvironmentIsInside(Lab lab) {
        try (var box = lab.base()) {
            assertThat(box.sh("env; cat /proc/1/environ /proc/*/environ 2>/dev/null", "user", "root").text()).doesNotContain("canary");
            assertThat(box.sh("env | cut -d= -f1 | sort").text().lines().toList())
                    .isSubsetOf("DEBIAN_FRONTEND", "GIT_PAGER", "GIT_TERMINAL_PROMPT", "HOME", "LANG", "LC_ALL", "LOGNAME", "PAGER", "PATH", "PWD", "SHELL", "SHLVL", "TERM", "USER", "_",
                            "OLDPWD", "REDOMA_SANDBOX_ID");
        }
    }

    @Test
    void theKernelRefusesWhatTheTierForbids(Lab lab) {
        try (var box = lab.base()) {
            assertThat(box.sh("mount -t tmpfs none /mnt; unshare -n true; echo", "user", "root").errText()).contains("mount").contains("unshare");
            assertThat(box.run(List.of("python3", "-c", """
                    import socket
                    for f in (socket.AF_PACKET, 40, 38):
                        try:
                            socket.socket(f, socket.SOCK_RAW); print('open')
                        except OSError as e: print(e.errno)
                    """), "user", "root").text()).isEqualTo("97\n97\n97\n");
            assertThat(box.sh("cat /proc/self/status | grep -E 'Seccomp:|CapBnd'", "user", "root").text()).contains("Seccomp:\t2").contains("CapBnd:\t00000000800005fb");
            assertThat(box.sh("ls /sys/fs/cgroup/unified/* /sys/kernel/debug 2>/dev/null | wc -l; cat /proc/kcore 2>&1 | head -c 10 | wc -c").text()).endsWith("0\n");
        }
    }
}
