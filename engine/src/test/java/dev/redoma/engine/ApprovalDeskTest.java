// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SandboxId;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.Approval;
import dev.redoma.policy.ApprovalPolicy.Needed;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The queue of approvals over a real store and ledger, with a clock that the test sets.
class ApprovalDeskTest {
    private static final Needed ONE = new Needed(List.of("floor.approve[0]"), 1, Duration.ofMinutes(30));
    private static final ApprovalPeople PEOPLE = new ApprovalPeople();
    private static LifeRig rig;

    private final Time time = new Time();
    private final List<Approval> told = new CopyOnWriteArrayList<>();
    private ApprovalDesk desk;
    private Approvals approvals;
    private SandboxId sandbox;

    private static final class Time extends Clock {
        private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

        @Override
        public ZoneId getZone() {
            return ZoneId.of("UTC");
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }

    @BeforeAll
    static void open() {
        rig = new LifeRig();
    }

    @AfterAll
    static void end() {
        rig.close();
    }

    @BeforeEach
    void begin() {
        sandbox = new SandboxId(rig.create(ALICE).id());
        desk = desk();
        approvals = new ApprovalService(desk);
    }

    @AfterEach
    void empty() {
        rig.sandboxes().kill(ALICE, sandbox.value());
    }

    private ApprovalDesk desk() {
        return new ApprovalDesk(rig.store, new ApprovalRecords(rig.ledger), ApprovalBinding.open(rig.dir), new Approvals.Settings(PEOPLE, Duration.ofMillis(1), Duration.ofMillis(1), told::add), time);
    }

    private static Caller approver(String key) {
        return new Caller(key, ALICE.tenant(), Set.of(Scope.READ, Scope.APPROVE));
    }

    private ApprovalAsk ask(Needed needed, String... argv) {
        return new ApprovalAsk("exec", sandbox, ALICE.tenant(), ALICE, Map.of("argv", Visible.of(List.of(argv))), List.of(argv), needed);
    }

    private String pending(Needed needed, String... argv) {
        var id = new String[1];
        assertThatThrownBy(() -> desk.require(ask(needed, argv))).isInstanceOfSatisfying(RedomaException.class, e -> {
            assertThat(e.code()).isEqualTo(Code.APPROVAL_PENDING);
            id[0] = (String) e.problem().details().get("approval");
        });
        return id[0];
    }

    private static void refused(Code code, Callable<?> call) {
        assertThatThrownBy(call::call).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }

    private boolean redeem(ApprovalTicket ticket) {
        return rig.store.write(tx -> {
            ticket.redeem(tx, null);
            return true;
        });
    }

    private List<String> records() {
        return rig.ledger.read(ALICE.tenant().value(), sandbox.value(), "approval", 0, 1000).stream().map(r -> r.action()).toList();
    }

    @Test
    void whatWasApprovedGoesThroughOnceAndNothingElseDoes() {
        var id = pending(ONE, "git", "push");
        assertThat(pending(ONE, "git", "push")).as("the same call is the same request").isEqualTo(id);
        approvals.decide(approver("ky-carol"), id, true, "looked at it");
        for (var other : List.of(new String[] {"git", "push "}, new String[] {"git", "pusH"}, new String[] {"git push"}, new String[] {"git", "push", ""}, new String[] {"gi", "tpush"}, new String[] {"git", "pu\u200bsh"})) {
            assertThat(pending(ONE, other)).as(List.of(other).toString()).isNotEqualTo(id);
        }
        var another = new Caller("ky-alice-2", ALICE.tenant(), ALICE.scopes());
        refused(Code.APPROVAL_PENDING, () -> desk.require(new ApprovalAsk("exec", sandbox, ALICE.tenant(), another, Map.of(), List.of("git", "push"), ONE)));
        refused(Code.APPROVAL_PENDING, () -> desk.require(ask(new Needed(ONE.rules(), 2, ONE.within()), "git", "push")));
        var ticket = desk.require(ask(ONE, "git", "push"));
        assertThat(ticket.approval()).contains(id);
        assertThat(redeem(ticket)).isTrue();
        refused(Code.WRONG_STATE, () -> redeem(ticket));
        assertThat(pending(ONE, "git", "push")).as("once").isNotEqualTo(id);
        assertThat(approvals.get(ALICE, id).state()).isEqualTo("redeemed");
        assertThat(records()).startsWith("asked", "approved").contains("redeemed");
    }

    @Test
    void whoAskedApprovesByNoKeyAndByNoneThatTheyMade() {
        var id = pending(ONE, "x");
        refused(Code.FORBIDDEN, () -> approvals.decide(approver("ky-alice-approves"), id, true, "me too"));
        refused(Code.FORBIDDEN, () -> approvals.decide(approver("ky-alice"), id, true, "me"));
        refused(Code.FORBIDDEN, () -> approvals.decide(approver("ky-dan"), id, true, "whose key Alice made"));
        refused(Code.FORBIDDEN, () -> approvals.decide(approver("ky-erin"), id, true, "whose key was made by a key that Alice made"));
        refused(Code.FORBIDDEN, () -> approvals.decide(approver("ky-nobodys"), id, true, "of no person"));
        refused(Code.FORBIDDEN, () -> approvals.decide(new Caller("ky-carol", ALICE.tenant(), Set.of(Scope.READ, Scope.CREATE, Scope.EXEC)), id, true, "without the scope"));
        refused(Code.FORBIDDEN, () -> approvals.decide(new Caller("ky-carol", ALICE.tenant(), Set.of(Scope.OPERATE)), id, true, "by a key that operates"));
        refused(Code.FORBIDDEN, () -> approvals.decide(new Caller("ky-carol", ALICE.tenant(), Set.of(Scope.APPROVE, Scope.EXEC)), id, true, "by a key that acts"));
        refused(Code.APPROVAL_NOT_FOUND, () -> approvals.decide(new Caller("ky-carol", LifeRig.BOB.tenant(), Set.of(Scope.APPROVE)), id, true, "of another tenant"));
        refused(Code.INVALID_FIELD, () -> approvals.decide(approver("ky-carol"), id, true, " "));
        assertThat(approvals.get(approver("ky-carol"), id).decisions()).isEmpty();
        assertThat(pending(ONE, "x")).isEqualTo(id);
        assertThat(approvals.decide(approver("ky-carol"), id, true, "fine").state()).isEqualTo("approved");
    }

    @Test
    void whoMadeTheKeyThatAskedIsWhoAsked() {
        var bot = new Caller("ky-bot", ALICE.tenant(), ALICE.scopes());
        refused(Code.APPROVAL_PENDING, () -> desk.require(new ApprovalAsk("exec", sandbox, ALICE.tenant(), bot, Map.of(), List.of("x"), ONE)));
        var asked = approvals.list(ALICE, true, sandbox.value()).getFirst();
        assertThat(asked.requestedBy()).isEqualTo("ky-bot");
        assertThat(asked.requester()).isEqualTo("us-alice");
        refused(Code.FORBIDDEN, () -> approvals.decide(approver("ky-alice-approves"), asked.id(), true, "my own program"));
        refused(Code.FORBIDDEN, () -> approvals.decide(approver("ky-dan"), asked.id(), true, "whose key Alice made"));
        assertThat(approvals.decide(approver("ky-carol"), asked.id(), true, "whose key nobody's key made").state()).isEqualTo("approved");
    }

    @Test
    void theWordOfOneWhoWasDisabledCountsNoLonger() {
        var two = new Needed(List.of("r"), 2, Duration.ofMinutes(1));
        var id = pending(two, "x");
        approvals.decide(approver("ky-carol"), id, true, "one");
        PEOPLE.disabled.add("us-carol");
        try {
            assertThat(approvals.decide(approver("ky-bob"), id, true, "two").state()).isEqualTo("pending");
            int before = told.size();
            refused(Code.WRONG_STATE, () -> approvals.decide(approver("ky-bob"), id, true, "again"));
            assertThat(told).as("nothing changed").hasSize(before);
            assertThat(approvals.decide(approver("ky-fay"), id, true, "three").state()).isEqualTo("approved");
        } finally {
            PEOPLE.disabled.clear();
        }
    }

    @Test
    void requestsOfASandboxAreListedByItsNameToo() {
        var id = pending(ONE, "x");
        assertThat(approvals.list(ALICE, true, rig.sandboxes().get(ALICE, sandbox.value()).id())).extracting(Approval::id).containsExactly(id);
        refused(Code.SANDBOX_NOT_FOUND, () -> approvals.list(ALICE, true, "nobodys"));
    }

    @Test
    void twoHaveToBeTwoPeople() {
        var two = new Needed(List.of("r"), 2, Duration.ofMinutes(1));
        var id = pending(two, "x");
        assertThat(approvals.decide(approver("ky-carol"), id, true, "one").state()).isEqualTo("pending");
        refused(Code.WRONG_STATE, () -> approvals.decide(approver("ky-carol-2"), id, true, "the same person by another key"));
        assertThat(pending(two, "x")).isEqualTo(id);
        var done = approvals.decide(approver("ky-bob"), id, true, "two");
        assertThat(done.state()).isEqualTo("approved");
        assertThat(done.decisions()).extracting(Approval.Decision::person).containsExactlyInAnyOrder("us-carol", "us-bob");
        assertThat(redeem(desk.require(ask(two, "x")))).isTrue();
        assertThat(records()).containsExactly("asked", "agreed", "approved", "redeemed");
        var other = pending(two, "y");
        approvals.decide(approver("ky-carol"), other, true, "one");
        assertThat(approvals.decide(approver("ky-bob"), other, false, "no").state()).as("one no is a no").isEqualTo("denied");
    }

    @Test
    void aDenialIsToldWithItsReasonUntilItsTimeIsOver() {
        var id = pending(ONE, "x");
        approvals.decide(approver("ky-carol"), id, false, "not on\u202eFriday");
        assertThatThrownBy(() -> desk.require(ask(ONE, "x"))).isInstanceOfSatisfying(RedomaException.class, e -> {
            assertThat(e.code()).isEqualTo(Code.APPROVAL_DENIED);
            assertThat(e.getMessage()).contains("not on\\u202eFriday");
        });
        refused(Code.WRONG_STATE, () -> approvals.decide(approver("ky-bob"), id, true, "yes after all"));
        time.now = time.now.plus(ONE.within());
        assertThat(pending(ONE, "x")).isNotEqualTo(id);
    }

    @Test
    void timeDecidesToTheMicrosecond() {
        var early = pending(ONE, "a");
        var late = pending(ONE, "b");
        time.now = time.now.plus(ONE.within()).minusNanos(1000);
        assertThat(approvals.decide(approver("ky-carol"), early, true, "in time").state()).isEqualTo("approved");
        time.now = time.now.plusNanos(1000);
        refused(Code.WRONG_STATE, () -> approvals.decide(approver("ky-carol"), late, true, "too late"));
        assertThat(approvals.get(ALICE, late).state()).isEqualTo("expired");
        var ticket = desk.require(ask(ONE, "a"));
        time.now = time.now.plus(ONE.within()).minusNanos(1000);
        refused(Code.WRONG_STATE, () -> redeem(ticket));
        assertThat(pending(ONE, "a")).isNotEqualTo(early);
        assertThat(records()).containsExactly("asked", "asked", "approved", "expired", "lapsed", "asked");
    }

    @Test
    void whatNobodyDecidesExpiresByItself() {
        var id = pending(ONE, "x");
        time.now = time.now.plus(ONE.within());
        desk.sweep();
        desk.sweep();
        assertThat(approvals.get(ALICE, id).state()).isEqualTo("expired");
        assertThat(records()).containsExactly("asked", "expired");
    }

    private static <T> List<Object> atOnce(List<Callable<T>> calls) throws Exception {
        var barrier = new CyclicBarrier(calls.size());
        var running = new ArrayList<CompletableFuture<Object>>();
        for (var call : calls) {
            var result = new CompletableFuture<Object>();
            Thread.ofPlatform().start(() -> {
                try {
                    barrier.await(30, TimeUnit.SECONDS);
                    result.complete(call.call());
                } catch (RedomaException refusal) {
                    result.complete(refusal.problem());
                } catch (Exception failed) {
                    result.completeExceptionally(failed);
                }
            });
            running.add(result);
        }
        var results = new ArrayList<Object>();
        for (var r : running) {
            results.add(r.get(30, TimeUnit.SECONDS));
        }
        return results;
    }

    private static long problems(List<Object> results) {
        return results.stream().filter(Problem.class::isInstance).count();
    }

    @Test
    void ofTwoWhoDecideAtOnceOneDoesAndOfTwoWhoUseItOneDoes() throws Exception {
        for (int i = 0; i < 25; i++) {
            String[] argv = {"race", String.valueOf(i)};
            var id = pending(ONE, argv);
            var decided = atOnce(List.<Callable<Approval>>of(() -> approvals.decide(approver("ky-carol"), id, true, "yes"), () -> approvals.decide(approver("ky-bob"), id, false, "no")));
            assertThat(problems(decided)).isEqualTo(1);
            var now = approvals.get(ALICE, id);
            assertThat(now.decisions()).hasSize(1);
            if (now.state().equals("denied")) {
                refused(Code.APPROVAL_DENIED, () -> desk.require(ask(ONE, argv)));
                continue;
            }
            var first = desk.require(ask(ONE, argv));
            var second = desk.require(ask(ONE, argv));
            assertThat(problems(atOnce(List.<Callable<Boolean>>of(() -> redeem(first), () -> redeem(second))))).isEqualTo(1);
            assertThat(approvals.get(ALICE, id).state()).isEqualTo("redeemed");
        }
    }

    @Test
    void ofADecisionAndTheEndOfTheTimeOneComesFirstAndHolds() throws Exception {
        for (int i = 0; i < 25; i++) {
            var id = pending(ONE, "clock", String.valueOf(i));
            time.now = time.now.plus(ONE.within()).minusNanos(1000);
            var results = atOnce(List.<Callable<Object>>of(() -> approvals.decide(approver("ky-carol"), id, true, "yes"), () -> {
                time.now = time.now.plusNanos(1000);
                desk.sweep();
                return true;
            }));
            var said = approvals.get(ALICE, id);
            assertThat(said.state()).isEqualTo(problems(results) == 1 ? "expired" : "approved");
            assertThat(said.decisions()).hasSize(problems(results) == 1 ? 0 : 1);
        }
    }

    @Test
    void whoWaitsIsWokenByTheDecisionAndWhatWasUndoneWithItsTransactionIsNotUsed() throws Exception {
        var ticket = new CompletableFuture<Object>();
        Thread.ofVirtual().start(() -> {
            try {
                ticket.complete(desk.require(ask(ONE, "held"), Duration.ofSeconds(60)));
            } catch (RedomaException refusal) {
                ticket.complete(refusal.problem());
            }
        });
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> approvals.list(ALICE, true, sandbox.value()).size() == 1);
        var id = approvals.list(ALICE, true, sandbox.value()).getFirst().id();
        approvals.decide(approver("ky-carol"), id, true, "yes");
        var got = (ApprovalTicket) ticket.get(30, TimeUnit.SECONDS);
        refused(Code.NO_CAPACITY, () -> rig.store.write(tx -> {
            got.redeem(tx, null);
            throw Problem.of(Code.NO_CAPACITY, "no room", "wait").raise();
        }));
        assertThat(approvals.get(ALICE, id).state()).isEqualTo("approved");
        assertThat(redeem(got)).isTrue();
        assertThat(told).extracting(Approval::state).contains("pending", "approved");
    }

    @Test
    void itOutlivesTheServerAndNotTheSandbox() throws Exception {
        var kept = pending(ONE, "kept");
        var waits = pending(ONE, "waits");
        desk.close();
        var next = desk();
        told.clear();
        next.recover();
        assertThat(told).extracting(Approval::id).contains(kept, waits);
        new ApprovalService(next).decide(approver("ky-carol"), kept, true, "by the next server");
        desk = next;
        approvals = new ApprovalService(next);
        var ticket = desk.require(ask(ONE, "kept"));
        var held = new CompletableFuture<Object>();
        Thread.ofVirtual().start(() -> {
            try {
                held.complete(desk.require(ask(ONE, "waits"), Duration.ofSeconds(60)));
            } catch (RedomaException refusal) {
                held.complete(refusal.code());
            }
        });
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> desk.held() == 1);
        desk.ended(rig.store.write(tx -> desk.ending(tx, sandbox)));
        assertThat(held.get(30, TimeUnit.SECONDS)).isEqualTo(Code.SANDBOX_ENDED);
        assertThat(approvals.get(ALICE, waits).state()).isEqualTo("cancelled");
        refused(Code.WRONG_STATE, () -> redeem(ticket));
        rig.sandboxes().kill(ALICE, sandbox.value());
        refused(Code.SANDBOX_ENDED, () -> desk.require(ask(ONE, "after")));
    }

    @Test
    void theQueueIsBoundedAndSoIsWhatIsShown() {
        var big = "x".repeat(ApprovalDesk.LARGEST);
        refused(Code.PAYLOAD_TOO_LARGE, () -> desk.require(ask(ONE, big)));
        for (int i = 0; i < 64; i++) {
            pending(ONE, "many", String.valueOf(i));
        }
        refused(Code.QUOTA_EXCEEDED, () -> desk.require(ask(ONE, "one too many")));
        time.now = time.now.plus(ONE.within());
        desk.sweep();
        pending(ONE, "room again");
        time.now = time.now.plus(Duration.ofDays(31));
        desk.forgetOld();
        assertThat(approvals.list(ALICE, false, sandbox.value())).hasSize(1);
    }

    @Test
    void whatCannotBeSeenIsWrittenOut() {
        assertThat(Visible.of("a\u202eb\u200bc\u00a0d\ufeffe\u2066f\u3164g\u2800h\ufe0fi\u034fj")).isEqualTo("a\\u202eb\\u200bc\\u00a0d\\ufeffe\\u2066f\\u3164g\\u2800h\\ufe0fi\\u034fj");
        assertThat(Visible.of("\\u202e \n\t\r\u0000\u001b[0m\u007f\u0085\u2028")).isEqualTo("\\\\u202e \\n\\t\\r\\u0000\\u001b[0m\\u007f\\u0085\\u2028");
        assertThat(Visible.of("x\ud800y\udb40\udc41z\ue000")).isEqualTo("x\\ud800y\\U000e0041z\\ue000");
        assertThat(Visible.of("rm -rf /ção 日本 👍")).isEqualTo("rm -rf /ção 日本 👍");
    }
}
