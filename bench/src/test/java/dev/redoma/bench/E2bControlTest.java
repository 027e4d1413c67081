// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/// E2B's control plane by hand: what its SDKs do not show, and what they must not get.
@ExtendWith(LabExtension.class)
@Timeout(120)
class E2bControlTest {

    private static JsonNode made(Api api, String path, Object... more) {
        var body = new HashMap<String, Object>(Map.of("templateID", "tiny", "timeout", 120));
        for (int i = 0; i < more.length; i += 2) {
            body.put((String) more[i], more[i + 1]);
        }
        return api.post(path, body).expect(201).json();
    }

    private static String id(JsonNode sandbox) {
        return sandbox.get("sandboxID").asString();
    }

    private static JsonNode refused(Api.Answer answer, int status, String named) {
        var body = answer.expect(status).json();
        assertThat(body.get("code").asInt()).isEqualTo(status);
        assertThat(body.get("message").asString()).contains(named);
        return body;
    }

    @Test
    void fieldsOfVersionsToComeArePassedOverAndBodiesMayBeEmpty(Lab lab) {
        var api = lab.api();
        var box = made(api, "/v2/sandboxes", "fieldOfAnotherYear", Map.of("a", List.of(1)));
        assertThat(box.get("envdVersion").asString()).isEqualTo("0.6.13");
        api.send(api.request("/sandboxes/" + id(box) + "/pause").POST(BodyPublishers.noBody()).build()).expect(204);
        refused(api.post("/sandboxes/" + id(box) + "/pause", Map.of()), 409, "paused already");
        refused(api.post("/sandboxes/" + id(box) + "/timeout", Map.of("timeout", 60)), 404, "paused");
        api.send(api.request("/v2/sandboxes/" + id(box) + "/connect").POST(BodyPublishers.noBody()).build()).expect(201);
        api.post("/sandboxes/" + id(box) + "/refreshes", Map.of("duration", 60)).expect(204);
        refused(api.post("/sandboxes/" + id(box) + "/resume", Map.of()), 409, "running already");
        api.delete("/sandboxes/" + id(box) + "-client").expect(204);
        refused(api.delete("/sandboxes/" + id(box)), 404, "ended");
        refused(api.get("/sandboxes/" + id(box)), 404, "killed");
    }

    @Test
    void aTokenGoesWithASandboxAndStaysTheSame(Lab lab) {
        var api = lab.api();
        var box = made(api, "/sandboxes");
        var token = box.get("envdAccessToken").asString();
        assertThat(token).matches("[0-9a-f]{64}");
        api.post("/sandboxes/" + id(box) + "/pause", Map.of()).expect(204);
        assertThat(api.post("/sandboxes/" + id(box) + "/connect", Map.of("timeout", 60)).expect(201).json().get("envdAccessToken").asString()).isEqualTo(token);
        var open = made(api, "/sandboxes", "secure", false);
        assertThat(open.has("envdAccessToken")).isFalse();
        assertThat(made2(api, "secure", false).has("envdAccessToken")).as("v2 is always secured").isTrue();
        var shut = made(api, "/v2/sandboxes", "network", Map.of("allowPublicTraffic", false));
        assertThat(shut.get("trafficAccessToken").asString()).matches("[0-9a-f]{64}").isNotEqualTo(shut.get("envdAccessToken").asString());
        refused(api.post("/sandboxes", Map.of("templateID", "tiny", "secure", false, "network", Map.of("allowPublicTraffic", false))), 400, "allowPublicTraffic");
        for (var one : List.of(box, open, shut)) {
            api.delete("/sandboxes/" + id(one)).expect(204);
        }
    }

    private static JsonNode made2(Api api, Object... more) {
        var box = made(api, "/v2/sandboxes", more);
        api.delete("/sandboxes/" + id(box)).expect(204);
        return box;
    }

    @Test
    void whatCannotBeHadIsRefusedByTheNameOfItsField(Lab lab) {
        var api = lab.api();
        for (var field : Map.<String, Object>of("mcp", Map.of("s", Map.of()), "iam", Map.of("tokens", Map.of()), "network", Map.of("rules", Map.of("example.com", List.of())),
                "autoResume", Map.of("enabled", true)).entrySet()) {
            var named = field.getKey().equals("network") ? "network.rules" : field.getKey();
            refused(api.post("/v2/sandboxes", Map.of("templateID", "tiny", field.getKey(), field.getValue())), 501, named);
        }
        refused(api.post("/v2/sandboxes", Map.of("templateID", "tiny", "timeout", 0)), 400, "timeout");
        refused(api.post("/v2/sandboxes", Map.of("templateID", "tiny", "metadata", Map.of("redoma.e2b/secure", "false"))), 400, "metadata");
        refused(api.post("/v2/sandboxes", Map.of()), 400, "templateID");
        for (var path : List.of("/secrets", "/secrets/x", "/events/webhooks", "/events/webhooks/x", "/access-tokens", "/teams/default/metrics", "/teams/default/metrics/max")) {
            assertThat(refused(api.get(path), 501, "").get("error_code").asString()).isEqualTo("not-offered");
        }
        refused(api.as("e2b_" + "0".repeat(40)).get("/v2/sandboxes"), 401, "key");
    }

    @Test
    void scopesAndTenantsHoldHereAsInTheNativeApi(Lab lab) {
        var api = lab.api();
        var other = lab.tenant("e2b-other");
        var reader = api.as(api.post("/v1/keys", Map.of("name", "reader", "scopes", List.of("read"))).expect(201).json().get("value").asString());
        refused(reader.post("/v2/sandboxes", Map.of("templateID", "tiny")), 403, "create");
        refused(other.post("/v3/templates", Map.of("name", "mine")), 403, "");
        var box = made(api, "/v2/sandboxes");
        reader.get("/sandboxes/" + id(box)).expect(200);
        for (var path : List.of("", "/metrics", "/logs")) {
            refused(other.get("/sandboxes/" + id(box) + path), 404, "");
        }
        for (var verb : List.of("/pause", "/connect", "/resume", "/fork", "/snapshots", "/timeout", "/refreshes")) {
            refused(other.post("/sandboxes/" + id(box) + verb, Map.of("timeout", 60)), 404, "");
        }
        refused(other.delete("/sandboxes/" + id(box)), 404, "");
        assertThat(other.get("/v2/sandboxes").expect(200).json().size()).isZero();
        api.delete("/sandboxes/" + id(box)).expect(204);
    }

    @Test
    void listsAreInOrderPageByPageAndByTimeAndTemplate(Lab lab) {
        var api = lab.api();
        var ids = new ArrayList<String>();
        for (int i = 0; i < 3; i++) {
            ids.add(id(made(api, "/v2/sandboxes", "metadata", Map.of("run", "pages"))));
        }
        var first = api.get("/v2/sandboxes?metadata=run%3Dpages&order=asc&limit=2").expect(200);
        assertThat(names(first)).isEqualTo(ids.subList(0, 2));
        var next = first.headers().firstValue("X-Next-Token").orElseThrow();
        var second = api.get("/v2/sandboxes?metadata=run%3Dpages&order=asc&limit=2&nextToken=" + Api.encode(next)).expect(200);
        assertThat(names(second)).isEqualTo(ids.subList(2, 3));
        assertThat(second.headers().firstValue("X-Next-Token")).isEmpty();
        assertThat(names(api.get("/v2/sandboxes?metadata=run%3Dpages&order=desc&state=running,paused&template=tiny").expect(200))).isEqualTo(ids.reversed());
        assertThat(names(api.get("/sandboxes?metadata=run%3Dpages").expect(200))).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(names(api.get("/v2/sandboxes?metadata=run%3Dpages&template=other").expect(200))).isEmpty();
        assertThat(names(api.get("/v2/sandboxes?metadata=run%3Dpages&startedAfter=2999-01-01T00:00:00Z").expect(200))).isEmpty();
        refused(api.get("/v2/sandboxes?limit=101"), 400, "limit");
        ids.forEach(one -> api.delete("/sandboxes/" + one).expect(204));
    }

    private static List<String> names(Api.Answer list) {
        var names = new ArrayList<String>();
        list.json().forEach(s -> names.add(s.get("sandboxID").asString()));
        return names;
    }

    @Test
    void logsTellTheStartsAndEndsOfCommandsInBothForms(Lab lab) {
        var api = lab.api();
        var made = made(api, "/v2/sandboxes");
        new Box(api, api.get("/v1/sandboxes/" + id(made)).expect(200).json()).sh("exit 3");
        var old = api.get("/sandboxes/" + id(made) + "/logs").expect(200).json();
        assertThat(Api.JSON.readTree(old.get("logs").get(0).get("line").asString()).get("message").asString()).contains("started: sh -c exit 3");
        var back = api.get("/v2/sandboxes/" + id(made) + "/logs?direction=backward&limit=1").expect(200).json().get("logs");
        assertThat(back.size()).isEqualTo(1);
        assertThat(back.get(0).get("message").asString()).contains("ended with 3");
        api.delete("/sandboxes/" + id(made)).expect(204);
    }

    @Test
    void clonesAreForksAndAResetIsTheTemplateAgain(Lab lab) {
        var api = lab.api();
        var id = id(made(api, "/v2/sandboxes"));
        var box = new Box(api, api.get("/v1/sandboxes/" + id).expect(200).json());
        box.sh("echo here > /root/mark");
        var clones = api.post("/sandboxes/" + id + "/clone", Map.of("count", 2, "strict", true)).expect(201).json().get("sandboxes");
        assertThat(clones.size()).isEqualTo(2);
        clones.forEach(c -> {
            assertThat(new Box(api, api.get("/v1/sandboxes/" + id(c)).expect(200).json()).sh("cat /root/mark").text()).isEqualTo("here\n");
            api.delete("/sandboxes/" + id(c)).expect(204);
        });
        api.post("/sandboxes/" + id + "/reset", Map.of()).expect(200);
        assertThat(box.sh("cat /root/mark || echo gone").text()).isEqualTo("gone\n");
        refused(api.post("/sandboxes/" + id + "/clone", Map.of("count", 0)), 400, "count");
        refused(api.get("/sandboxes/quota"), 501, "quota");
        refused(api.get("/sandboxes/events"), 501, "events");
        refused(api.post("/sandboxes/" + id + "/hotplug-memory", Map.of("requested_size_mib", 512)), 501, "requested_size_mib");
        refused(api.post("/sandboxes/" + id + "/volume-mounts", Map.of("name", "v", "path", "/v")), 501, "volumeMounts");
        refused(api.patch("/templates/tiny", Map.of("public", true)), 501, "public");
        for (var verb : List.of("connect", "reset")) {
            refused(api.post("/sandboxes/" + id + "/" + verb, Map.of("secure", false)), 501, "secure");
            refused(api.post("/sandboxes/" + id + "/" + verb, Map.of("allowPublicTraffic", false)), 501, "allowPublicTraffic");
            refused(api.post("/sandboxes/" + id + "/" + verb, Map.of("network", Map.of("allowPublicTraffic", false))), 501, "network");
        }
        assertThat(box.sh("echo as it was").text()).isEqualTo("as it was\n");
        refused(api.post("/sandboxes", Map.of("templateID", "tiny", "secrets", Map.of("A", "S"))), 501, "secrets");
        refused(api.patch("/volumes/v", Map.of("quotaSizeGiB", 2)), 501, "quotaSizeGiB");
        api.delete("/sandboxes/" + id).expect(204);
    }

    @Test
    void eventsAreWhatTheLedgerSaysIsDone(Lab lab) {
        var api = lab.api();
        var id = id(made(api, "/v2/sandboxes"));
        api.post("/sandboxes/" + id + "/pause", Map.of()).expect(204);
        api.post("/sandboxes/" + id + "/connect", Map.of("timeout", 60)).expect(201);
        api.post("/sandboxes/" + id + "/snapshots", Map.of()).expect(201);
        api.delete("/sandboxes/" + id).expect(204);
        var all = api.get("/events/sandboxes/" + id + "?orderAsc=true&limit=100").expect(200).json();
        var types = new ArrayList<String>();
        all.forEach(e -> types.add(e.get("type").asString().replace("sandbox.lifecycle.", "")));
        assertThat(types).containsExactly("created", "paused", "resumed", "updated", "checkpointed", "killed");
        var last = all.get(5);
        assertThat(last.get("sandboxId").asString()).isEqualTo(id);
        assertThat(last.get("sandboxTemplateId").asString()).isEqualTo("tiny");
        assertThat(last.get("sandboxTeamId").asString()).isEqualTo("default");
        assertThat(last.get("eventData").get("reason").asString()).isEqualTo("killed");
        var newest = api.get("/events/sandboxes/" + id + "?limit=2&offset=1").expect(200).json();
        assertThat(newest.get(0).get("id")).isEqualTo(all.get(4).get("id"));
        assertThat(newest.size()).isEqualTo(2);
        assertThat(api.get("/events/sandboxes?limit=1").expect(200).json().size()).isEqualTo(1);
        assertThat(lab.tenant("e2b-other").get("/events/sandboxes/" + id).expect(200).json().size()).as("of another tenant").isZero();
        refused(api.get("/events/sandboxes?limit=101"), 400, "limit");
    }

    @Test
    void keysOfATeamAreMadeShownAndDeletedByOperatorsAndDoNoMoreThanTheirMaker(Lab lab) {
        var api = lab.api();
        refused(lab.tenant("e2b-other").get("/api-keys"), 403, "");
        refused(api.post("/api-keys", Map.of()), 400, "name");
        var made = api.post("/api-keys", Map.of("name", "made here")).expect(201).json();
        assertThat(made.get("key").asString()).matches("e2b_[0-9a-f]{40}");
        assertThat(made.get("mask").get("valueLength").asInt()).isEqualTo(40);
        var own = api.as(made.get("key").asString());
        var listed = own.get("/api-keys").expect(200).json();
        assertThat(listed.findValuesAsString("id")).contains(made.get("id").asString());
        assertThat(listed.findValuesAsString("key")).isEmpty();
        refused(own.patch("/api-keys/" + made.get("id").asString(), Map.of("name", "other")), 501, "name");
        api.delete("/api-keys/" + made.get("id").asString()).expect(204);
        refused(own.get("/api-keys"), 401, "key");
        refused(api.delete("/api-keys/" + made.get("id").asString()), 404, "key");
        assertThat(api.get("/teams").expect(200).json().get(0).get("teamID").asString()).isEqualTo("default");
    }

    @Test
    void aLinkForUploadsHoldsForItsHashAndTenantOnlyAndAVolumesTokenForItsVolume(Lab lab) {
        var api = lab.api();
        var hash = "a".repeat(64);
        var link = api.get("/templates/any/files/" + hash).expect(201).json();
        assertThat(link.get("present").asBoolean()).as("%s", link).isFalse();
        var path = link.get("url").asString().replaceFirst("^http://[^/]+", "");
        refused(api.put(path.replace(hash, "b".repeat(64)), new byte[] {1}, "application/octet-stream"), 401, "link");
        refused(api.put(path.replace("tenant=default", "tenant=other"), new byte[] {1}, "application/octet-stream"), 401, "link");
        refused(api.get("/templates/any/files/xyz"), 400, "hash");
        var one = api.post("/volumes", Map.of("name", "e2b-one")).expect(201).json();
        var two = api.post("/volumes", Map.of("name", "e2b-two")).expect(201).json();
        var content = "/volumecontent/" + one.get("volumeID").asString() + "/path?path=/";
        api.as(one.get("token").asString()).get(content).expect(200);
        api.as(two.get("token").asString()).get(content).expect(401);
        api.get(content).expect(401);
        refused(lab.tenant("e2b-other").get("/volumes/" + one.get("volumeID").asString()), 404, "");
        for (var volume : List.of(one, two)) {
            api.delete("/volumes/" + volume.get("volumeID").asString()).expect(204);
        }
    }
}
