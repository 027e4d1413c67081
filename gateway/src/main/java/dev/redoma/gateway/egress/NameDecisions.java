// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.policy.EgressDecision;
import dev.redoma.policy.HostName;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a sandbox is answered that asks for a name: decided by its policy alone, and on record before it is told. Thread-safe.
final class NameDecisions implements DnsAnswers.Deciding {
    private static final Logger LOG = LoggerFactory.getLogger(NameDecisions.class);
    /// How long a question for an allowed name waits until it can be recorded, and how often that is looked for.
    private static final int TURNS = 100;
    private static final long TURN = TimeUnit.MILLISECONDS.toNanos(20);

    private final SandboxEgress sandbox;
    private final SandboxNames.Leading leading;

    NameDecisions(SandboxEgress sandbox, SandboxNames.Leading leading) {
        this.sandbox = sandbox;
        this.leading = leading;
    }

    @Override
    public DnsAnswers.Verdict decide(String asked, int type) {
        try {
            EgressDecision decision = sandbox.decider().decideName(asked);
            var host = HostName.parse(asked);
            if (!decision.allowed() || host.isEmpty()) {
                sandbox.records().refused(Fact.of("dns.denied", shown(asked), 0, decision), Times.kind(type));
                return new DnsAnswers.Verdict.NoSuchName();
            }
            return known(host.get().ascii(), decision, Times.kind(type));
        } catch (RuntimeException unrecorded) {
            LOG.warn("a question was not answered, for it could not be recorded", unrecorded);
            return new DnsAnswers.Verdict.Failed();
        }
    }

    private DnsAnswers.Verdict known(String name, EgressDecision decision, int kind) {
        Fact fact = Fact.of("dns", name, 0, decision);
        var number = sandbox.names().number(name);
        if (number.isPresent()) {
            if (!inTurn(() -> sandbox.records().allowed(fact) != EgressRecords.Told.TOO_MANY)) {
                sandbox.records().refused(Fact.of("dns.denied", null, 0, decision).because(EgressRecords.TOO_MANY), kind);
                return new DnsAnswers.Verdict.Refused();
            }
            return new DnsAnswers.Verdict.Address(number.getAsInt());
        }
        if (!inTurn(sandbox.records()::mayRecord)) {
            sandbox.records().refused(Fact.of("dns.denied", null, 0, decision).because(EgressRecords.TOO_MANY), kind);
            return new DnsAnswers.Verdict.Refused();
        }
        number = sandbox.names().numberOrNew(name, tx -> sandbox.records().append(tx, fact), leading);
        if (number.isEmpty()) {
            sandbox.records().refused(Fact.of("dns.denied", null, 0, decision).because("names-used-up"), kind);
            return new DnsAnswers.Verdict.Refused();
        }
        sandbox.records().counting(fact);
        return new DnsAnswers.Verdict.Address(number.getAsInt());
    }

    /// False: it waited long enough.
    private static boolean inTurn(BooleanSupplier recorded) {
        for (int i = 0; i < TURNS && !Thread.currentThread().isInterrupted(); i++) {
            if (recorded.getAsBoolean()) {
                return true;
            }
            LockSupport.parkNanos(TURN);
        }
        return false;
    }

    private static String shown(String asked) {
        return asked.length() > 300 ? asked.substring(0, 300) : asked;
    }
}
