// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.ALICE;
import static dev.redoma.engine.LifeRig.BOB;
import static dev.redoma.engine.LifeRig.OPERATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.policy.PolicyDocument;
import dev.redoma.policy.PolicyFile;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Networks of the warm pool's members, made before they are asked for.
class ReadyNetworkTest extends LifeCase {
    private static final String OUT = "egress:\n  web:\n    - {hosts: [a.example.com], tls: opaque}\n";
    private static final String OTHER = "egress:\n  web:\n    - {hosts: [b.example.com], tls: opaque}\n";

    private void networked(int warm) {
        rig.close();
        rig = new LifeRig(c -> LifeRig.warm(c, warm), true);
    }

    private Sandbox create(String policy) {
        return rig.sandboxes().create(ALICE, new CreateSandbox(null, null, null, null, null, null, null, policy, null, null, null, null), null);
    }

    private static SandboxId id(Sandbox sandbox) {
        return new SandboxId(sandbox.id());
    }

    private List<String> told(Sandbox sandbox) {
        return rig.tier.instances.get(sandbox.id()).guest.resolvers;
    }

    private void waiting(int instances, int ready) {
        await().atMost(java.time.Duration.ofSeconds(30)).until(() -> rig.tier.instances.size() == instances && rig.network.ready.size() == ready);
    }

    @Test
    void whereNothingEverLeavesNoneIsMade() {
        networked(2);
        for (int i = 0; i < 3; i++) {
            create("none");
            await().atMost(java.time.Duration.ofSeconds(30)).until(() -> rig.store.read(tx -> tx.createQuery("SELECT count(*) FROM uid_range WHERE owner LIKE 'warm:%'").mapTo(Integer.class).one()) == 2);
        }
        assertThat(rig.network.everReady).isEmpty();
        assertThat(rig.network.open).isEmpty();
    }

    @Test
    void itStandsBeforeItIsAskedForIsItsSandboxesAloneAndTheGuestWasTold() {
        networked(1);
        Sandbox first = create(OUT);
        assertThat(first.warm()).isFalse();
        assertThat(rig.network.taken).isEmpty();
        waiting(2, 1);
        Sandbox closed = create("none");
        assertThat(rig.network.ready).as("what nothing leaves is never made of it").doesNotContainKey(id(closed)).hasSize(1);
        assertThat(told(closed)).isEmpty();
        Sandbox out = create(OTHER);
        assertThat(out.warm()).isTrue();
        assertThat(rig.network.taken).containsExactly(id(out));
        assertThat(rig.network.open.get(id(out)).policy().name()).as("by its own policy").isEqualTo(out.policy()).isNotEqualTo(first.policy());
        assertThat(told(out)).as("told once, before").containsExactly(Network.RESOLV_CONF);
        rig.sandboxes().kill(ALICE, out.id());
        assertThat(rig.network.open).doesNotContainKey(id(out));
        waiting(4, 1); // first, closed, and one of each kind
        rig.engine().close();
        assertThat(rig.network.ready).as("with the server they go").isEmpty();
        rig.killAndReopen();
        rig.sandboxes().killAll(OPERATOR, null);
    }

    @Test
    void whoComesWhenNoneIsReadyTakesAMemberWithoutAndIsToldThen() {
        networked(1);
        create("none");
        waiting(2, 0);
        rig.network.failing = true;
        Sandbox out = create(OUT);
        assertThat(out.warm()).isTrue();
        assertThat(told(out)).containsExactly(Network.RESOLV_CONF);
        assertThat(rig.network.open).containsKey(id(out));
        assertThat(rig.network.taken).isEmpty();
        rig.network.failing = false;
        waiting(4, 1); // it is tried again, and the one that stood in is replaced
        assertThat(create(OUT).warm()).isTrue();
        assertThat(rig.network.taken).hasSize(1);
    }

    @Test
    void policiesThatWereReadAreKeptForOneTenantAndNotWithoutEnd() {
        var texts = new PolicyTexts();
        var read = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            for (var tenant : List.of(ALICE.tenant(), BOB.tenant())) {
                texts.read(tenant, "request", "policy", OUT, () -> counted(read));
            }
        }
        assertThat(read).as("one is never told by another's").hasValue(2);
        assertThatThrownBy(() -> texts.read(ALICE.tenant(), "request", "policy", "bad", () -> PolicyFile.read("request", "policy", "bad: {"))).isInstanceOf(RuntimeException.class);
        assertThat(texts.size()).isEqualTo(2);
        for (int i = 0; i < 2 * PolicyTexts.KEPT; i++) {
            texts.read(ALICE.tenant(), "request", "policy", "# " + i, () -> counted(read));
        }
        assertThat(texts.size()).isEqualTo(PolicyTexts.KEPT);
        texts.read(BOB.tenant(), "request", "policy", " ".repeat(PolicyTexts.LONGEST + 1), () -> counted(read));
        assertThat(texts.size()).isEqualTo(PolicyTexts.KEPT);
    }

    private static PolicyDocument counted(AtomicInteger read) {
        read.incrementAndGet();
        return PolicyFile.read("request", "policy", OUT);
    }

    @Test
    void manyAtOnceNeverShareOneNorAreFewerThanWereAsked() throws Exception {
        networked(4);
        create(OUT);
        waiting(5, 4);
        var all = new ArrayList<Future<Sandbox>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 12; i++) {
                all.add(threads.submit((Callable<Sandbox>) () -> create(all.size() % 2 == 0 ? OUT : OTHER)));
            }
        }
        var made = new ArrayList<SandboxId>();
        for (var one : all) {
            made.add(id(one.get()));
        }
        assertThat(made).doesNotHaveDuplicates();
        assertThat(rig.network.open.keySet()).containsAll(made);
        assertThat(rig.network.taken).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(4);
        assertThat(made).containsAll(rig.network.taken);
        made.forEach(m -> assertThat(rig.network.ready).doesNotContainKey(m));
    }
}
