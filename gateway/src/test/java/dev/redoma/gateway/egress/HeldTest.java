// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Connections that humans have to approve.
@Timeout(60)
class HeldTest {
    private static final String A = "a.allowed.test";

    @TempDir
    Path dir;

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile boolean approved;
    private Lab lab;
    private Inside inside;

    @BeforeEach
    void open() throws Exception {
        lab = new Lab(dir);
        lab.origin(Lab.HERE, 443, SecureOrigin.http1(r -> SecureOrigin.ok(r, "hello"), A));
        lab.name(A, Lab.HERE);
        lab.gateway.asking((sandbox, egressClass, host, to, port) -> {
            asked.add(egressClass.wire() + " " + host + " " + to + " " + port);
            if (!approved) {
                throw Problem.of(Code.APPROVAL_PENDING, "Humans have to approve this.", "Make the same call again.").with("approval", "ap1").raise();
            }
        });
        inside = lab.sandbox(Lab.policy(InterceptTest.rule("request.web[0]", Set.of(), null, null, List.of(), A)));
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
    }

    @Test
    void nobodyIsAskedForANameThatWaitsAndAProgramThatSpeaksTlsIsToldInHttp() throws Exception {
        try (var client = SecureClient.to(lab, inside, A)) {
            var answer = client.ask(SecureClient.get("/1", A));
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.body()).contains("\"reason\":\"approval-pending\"", "Humans have to approve this. Make the same call again.");
        }
        try (var program = new Http2Talk(lab, inside, A, false)) {
            program.request(1, true, ":method=GET|:scheme=https|:authority=" + A + "|:path=/1");
            assertThat(program.answer(1)).startsWith("403 ").contains("approval-pending");
        }
        assertThat(lab.lookUps).isEmpty();
        assertThat(lab.arrivals).isEmpty();
        assertThat(lab.records(inside)).filteredOn(r -> r.action().equals("connect.denied")).first().satisfies(r -> assertThat(r.fields()).containsEntry("reason", "approval-pending").containsEntry("approval", "ap1"));
        approved = true;
        asked.clear();
        try (var client = SecureClient.to(lab, inside, A)) {
            assertThat(client.ask(SecureClient.get("/1", A)).status()).isEqualTo(200);
        }
        assertThat(asked).containsExactly("web " + A + " " + A + " 443");
        assertThat(lab.lookUps).isNotEmpty();
    }
}
