// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.ALICE;
import static dev.redoma.engine.LifeRig.ALICE_TOO;
import static dev.redoma.engine.LifeRig.BOB;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.model.Code;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.Sandbox;
import java.util.ArrayList;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/// Which sandbox a name, an idempotency key and a page of the list mean.
class NamesAndKeysTest extends LifeCase {
    @Test
    void sameKeyAndBodyIsTheSameSandboxAndAnotherBodyAConflict() throws Exception {
        rig.tier.slowMillis = 100;
        var ids = java.util.concurrent.ConcurrentHashMap.<String>newKeySet();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 10; i++) {
                threads.submit(() -> ids.add(rig.sandboxes().create(ALICE, LifeRig.request(null), "k1").id()));
            }
        }
        assertThat(ids).hasSize(1);
        Sandbox again = rig.sandboxes().create(ALICE, LifeRig.request(null), "k1");
        assertThat(ids).contains(again.id());
        assertThat(again.reused()).isTrue();
        assertThat(rig.tier.created).hasValue(1);
        refused(Code.IDEMPOTENCY_CONFLICT, () -> rig.sandboxes().create(ALICE, LifeRig.request("other"), "k1"));
        assertThat(rig.sandboxes().create(ALICE_TOO, LifeRig.request(null), "k1").id()).as("keys are each caller's own").isNotIn(ids);
    }

    @Test
    void aKeyOfAFailedCreationMayBeUsedAgain() {
        rig.tier.failing = true;
        refused(Code.RUNTIME_FAILED, () -> rig.sandboxes().create(ALICE, LifeRig.request(null), "k1"));
        rig.tier.failing = false;
        assertThat(rig.sandboxes().create(ALICE, LifeRig.request(null), "k1").reused()).isFalse();
    }

    @Test
    void whoAsksForASandboxThatIsThereNeedsNoTemplate() {
        try (var without = new LifeRig(LifeRig::withoutDefaultTemplate)) {
            Sandbox held = without.sandboxes().create(ALICE, new CreateSandbox("base", "box", null, null, null, null, null, null, null, null, null, null), null);
            Sandbox again = without.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null);
            assertThat(again.id()).isEqualTo(held.id());
            assertThat(again.reused()).isTrue();
            without.sandboxes().stop(ALICE, "box");
            assertThat(without.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null).state()).isEqualTo("running");
            refused(Code.TEMPLATE_NOT_FOUND, () -> without.sandboxes().create(ALICE, LifeRig.getOrCreate("other"), null));
            refused(Code.TEMPLATE_NOT_FOUND, () -> without.sandboxes().create(ALICE, LifeRig.request("box"), null));
            without.sandboxes().kill(ALICE, "box");
            refused(Code.TEMPLATE_NOT_FOUND, () -> without.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null));
        }
    }

    @Test
    void aNameIsHeldByOneAndGetOrCreateFindsItsHolder() {
        Sandbox first = rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null);
        assertThat(first.reused()).isFalse();
        refused(Code.NAME_TAKEN, () -> rig.sandboxes().create(ALICE, LifeRig.request("box"), null));
        assertThat(rig.sandboxes().create(BOB, LifeRig.request("box"), null).id()).isNotEqualTo(first.id());
        Sandbox again = rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null);
        assertThat(again.id()).isEqualTo(first.id());
        assertThat(again.reused()).isTrue();
        rig.sandboxes().pause(ALICE, "box");
        assertThat(rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null).state()).isEqualTo("running");
        rig.sandboxes().stop(ALICE, "box");
        assertThat(rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null).id()).isEqualTo(first.id());
        rig.sandboxes().kill(ALICE, "box");
        Sandbox next = rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null);
        assertThat(next.id()).isNotEqualTo(first.id());
        assertThat(next.reused()).isFalse();
    }

    @Test
    void manyThatRaceForANameGetTheSameSandbox() throws Exception {
        var ids = java.util.concurrent.ConcurrentHashMap.<String>newKeySet();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 20; i++) {
                threads.submit(() -> ids.add(rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null).id()));
            }
        }
        assertThat(ids).hasSize(1);
    }

    @Test
    void pagesGoThroughAllNewestFirstAndFiltersHold() {
        var ids = new ArrayList<String>();
        for (int i = 0; i < 7; i++) {
            ids.addFirst(rig.sandboxes().create(ALICE, new CreateSandbox(null, "n" + i, Map.of("k", i % 2 == 0 ? "even" : "odd"), null, null, null, null, null, null, null, null, null), null).id());
        }
        var seen = new ArrayList<String>();
        String cursor = null;
        do {
            var page = rig.sandboxes().list(ALICE, new Sandboxes.Query(Set.of(), Map.of(), null, cursor, 3));
            page.items().forEach(s -> seen.add(s.id()));
            cursor = page.next();
        } while (cursor != null);
        assertThat(seen).isEqualTo(ids);
        assertThat(rig.sandboxes().list(ALICE, new Sandboxes.Query(Set.of(), Map.of("k", "odd"), null, null, 200)).items()).hasSize(3);
        assertThat(rig.sandboxes().list(ALICE, new Sandboxes.Query(Set.of("paused"), Map.of(), null, null, 200)).items()).isEmpty();
        assertThat(rig.sandboxes().list(ALICE, new Sandboxes.Query(Set.of(), Map.of(), "n3", null, 200)).items()).hasSize(1);
        refused(Code.INVALID_FIELD, () -> rig.sandboxes().list(ALICE, new Sandboxes.Query(Set.of("gone"), Map.of(), null, null, 10)));
        refused(Code.INVALID_FIELD, () -> rig.sandboxes().list(ALICE, new Sandboxes.Query(Set.of(), Map.of(), null, "x", 10)));
        refused(Code.INVALID_FIELD, () -> rig.sandboxes().list(ALICE, new Sandboxes.Query(Set.of(), Map.of(), null, null, 0)));
    }
}
