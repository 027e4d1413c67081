// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Amounts;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.ExposureId;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SandboxId;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.ExposePort;
import dev.redoma.model.wire.Exposure;
import dev.redoma.policy.Audience;
import dev.redoma.policy.PreviewPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Exposed ports, each call authorised. The database first, then memory, then the connections. Thread-safe.
final class ExposureService implements Exposures {
    private static final Duration STANDARD = Duration.ofHours(1);
    private static final Duration LEAST = Duration.ofSeconds(1);
    private static final Duration MOST = Duration.ofDays(30);
    private static final int EACH = 64;

    private final Core core;
    private final ExposureTokens tokens;
    private final ExposureBook book;
    private final Doorkeeper doorkeeper;
    private final Map<SandboxId, PreviewPolicy> policies = new ConcurrentHashMap<>();
    /// Changes of what is exposed, one at a time: what the database has and what memory has never differ for whoever holds it.
    private final ReentrantLock changes = new ReentrantLock();

    ExposureService(Core core) {
        this.core = core;
        this.tokens = ExposureTokens.open(core.config().dataDir());
        this.book = new ExposureBook(core.clock());
        this.doorkeeper = new Doorkeeper(book, tokens, core.clock());
    }

    /// What was exposed before this server started stands, as far as the policies of today allow it.
    void recover() {
        for (ExposureRow row : core.store().read(ExposureRows::all)) {
            SandboxRow of = core.store().read(tx -> SandboxRows.find(tx, row.sandbox().value())).filter(s -> s.state() != State.ENDED).orElse(null);
            if (of == null) {
                core.store().write(tx -> {
                    ExposureRows.forget(tx, row.sandbox());
                    return true;
                });
            } else {
                book.add(row);
            }
        }
        core.boxes().all().forEach(box -> {
            if (!book.of(box.id()).isEmpty()) {
                policyChanged(core.row(box));
            }
        });
    }

    @Override
    public Exposure expose(Caller caller, String sandbox, ExposePort what) {
        SandboxRow row = changeable(caller, sandbox);
        if (what.port() < 1 || what.port() > 65_535) {
            throw Problem.field("port", what.port() + " is no port", "1 to 65535");
        }
        Audience audience = audience(what.audience());
        @Nullable Duration most = allowed(caller, row, what.port(), audience);
        Duration time = what.ttlMs() == null ? shorter(STANDARD, most) : time(what.ttlMs(), what.port(), most);
        Instant now = core.now();
        var fresh = new ExposureRow(ExposureId.mint(), row.id(), row.tenant(), what.port(), audience, now, caller.key(), now.plus(time));
        ApprovalTicket ticket = core.approvals().port(caller, row, fresh.port(), audience, time);
        core.background().call(() -> added(row, fresh, ticket));
        return fresh.view(now, audience == Audience.TOKEN ? tokens.of(fresh) : null);
    }

    /// What policy refuses is on record as well.
    private @Nullable Duration allowed(Caller caller, SandboxRow row, int port, Audience audience) {
        try {
            return PreviewRefusal.allowed(policies(row), port, audience);
        } catch (RedomaException refused) {
            core.store().write(tx -> {
                core.records().exposeRefused(tx, row, caller.key(), port, audience, refused.code());
                return true;
            });
            throw refused;
        }
    }

    private static Audience audience(@Nullable String asked) {
        return asked == null ? Audience.TOKEN
                : Audience.of(asked).orElseThrow(() -> Problem.field("audience", "'" + RequestRules.shown(asked) + "' is no audience", "tenant, token or public"));
    }

    private static Duration shorter(Duration one, @Nullable Duration other) {
        return other == null || one.compareTo(other) <= 0 ? one : other;
    }

    private static Duration time(long millis, int port, @Nullable Duration most) {
        if (millis < LEAST.toMillis() || millis > MOST.toMillis()) {
            throw Problem.field("ttlMs", millis + " cannot be taken", LEAST.toMillis() + " (" + Amounts.time(LEAST) + ") to " + MOST.toMillis() + " (" + Amounts.time(MOST) + ")");
        }
        var time = Duration.ofMillis(millis);
        if (most != null && time.compareTo(most) > 0) {
            throw PreviewRefusal.tooLong(port, time, most);
        }
        return time;
    }

    /// Under the box's lock: its sandbox does not end meanwhile, and its policy stays.
    private boolean added(SandboxRow seen, ExposureRow fresh, ApprovalTicket ticket) {
        Box box = core.boxes().find(seen.id()).orElseThrow(() -> Access.ended(core.store().read(tx -> SandboxRows.get(tx, seen.id()))));
        return core.boxes().locked(box, () -> {
            SandboxRow row = core.row(box);
            if (row.state() == State.ENDED) {
                throw Access.ended(row);
            }
            PreviewRefusal.allowed(policies(row), fresh.port(), fresh.audience());
            changes.lock();
            try {
                @Nullable ExposureRow leaves = room(row);
                core.store().write(tx -> {
                    ticket.redeem(tx, null);
                    if (leaves != null) {
                        ExposureRows.delete(tx, leaves.id());
                    }
                    ExposureRows.insert(tx, fresh);
                    core.records().exposure(tx, fresh, fresh.createdBy(), "expose", Map.of());
                    return true;
                });
                if (leaves != null) {
                    book.end(leaves);
                }
                book.add(fresh);
                return true;
            } finally {
                changes.unlock();
            }
        });
    }

    /// The oldest that has expired, where there would be too many.
    private @Nullable ExposureRow room(SandboxRow sandbox) {
        List<ExposureRow> all = book.of(sandbox.id());
        if (all.size() < EACH) {
            return null;
        }
        Instant now = core.now();
        return all.stream().filter(e -> e.expired(now)).findFirst().orElseThrow(() -> Problem.of(Code.QUOTA_EXCEEDED, "The sandbox has " + EACH + " exposed ports already.",
                "Revoke some.").with("limit", EACH).with("inUse", all.size()).raise());
    }

    @Override
    public List<Exposure> list(Caller caller, String sandbox) {
        caller.need(Scope.READ);
        SandboxRow row = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        Instant now = core.now();
        return row.state() == State.ENDED ? List.of() : book.of(row.id()).stream().map(e -> e.view(now, null)).toList();
    }

    @Override
    public void revoke(Caller caller, String sandbox, String exposure) {
        SandboxRow row = changeable(caller, sandbox);
        ExposureRow found = book.find(exposure);
        if (found == null || !found.sandbox().equals(row.id())) {
            throw notFound(exposure);
        }
        core.background().call(() -> ended(List.of(found), caller.key(), "revoke", Map.of()));
    }

    private static RedomaException notFound(String exposure) {
        return Problem.of(Code.EXPOSURE_NOT_FOUND, "The sandbox has no exposed port '" + RequestRules.shown(exposure) + "'.", "See 'redoma ports' for those there are.").raise();
    }

    @Override
    public int revokeAll(Caller caller, String sandbox, @Nullable Integer port) {
        SandboxRow row = changeable(caller, sandbox);
        List<ExposureRow> found = book.of(row.id()).stream().filter(e -> port == null || e.port() == port).toList();
        return core.background().call(() -> ended(found, caller.key(), "revoke", Map.of()));
    }

    private SandboxRow changeable(Caller caller, String sandbox) {
        caller.need(Scope.CREATE);
        SandboxRow row = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        Access.mayUse(caller, row);
        Access.notQuarantined(caller, row);
        if (row.state() == State.ENDED) {
            throw Access.ended(row);
        }
        return row;
    }

    private int ended(List<ExposureRow> rows, String actor, String action, Map<String, Object> more) {
        changes.lock();
        try {
            List<ExposureRow> there = rows.stream().filter(e -> book.find(e.id().value()) != null).toList();
            if (there.isEmpty()) {
                return 0;
            }
            core.store().write(tx -> {
                there.forEach(e -> {
                    ExposureRows.delete(tx, e.id());
                    core.records().exposure(tx, e, actor, action, more);
                });
                return true;
            });
            there.forEach(book::end);
            return there.size();
        } finally {
            changes.unlock();
        }
    }

    /// What it no longer allows ends, with the connections of those who are there by it.
    void policyChanged(SandboxRow row) {
        PreviewPolicy policy = read(row);
        policies.put(row.id(), policy); // over what somebody who still had the old row may have put there meanwhile
        Instant now = core.now();
        ended(book.of(row.id()).stream().filter(e -> !e.expired(now) && !policy.decide(e.port(), e.audience()).allows(Duration.between(e.createdAt(), e.expiresAt()))).toList(), Records.ENGINE, "ended",
                Map.of("reason", "policy"));
    }

    private PreviewPolicy policies(SandboxRow row) {
        return policies.computeIfAbsent(row.id(), id -> read(row));
    }

    /// One that cannot be read any more lets nothing be exposed.
    private PreviewPolicy read(SandboxRow row) {
        try {
            return core.policies().standing(row).stack().preview();
        } catch (RedomaException unreadable) {
            core.log().add(row.id(), "its policy lets nothing be exposed: " + unreadable.getMessage());
            return PreviewPolicy.CLOSED;
        }
    }

    @Override
    public Verdict admit(Visitor visitor) {
        return doorkeeper.admit(visitor);
    }

    @Override
    public Visit visit(String exposure, Runnable cutOff) {
        return book.visit(exposure, cutOff);
    }

    @Override
    public boolean leaves(String sandbox, int port, Audience audience) {
        var id = new SandboxId(sandbox);
        PreviewPolicy known = policies.get(id);
        PreviewPolicy policy = known != null ? known : core.store().read(tx -> SandboxRows.find(tx, sandbox)).map(this::policies).orElse(PreviewPolicy.CLOSED);
        return policy.leaves(port, audience) && !core.approvals().waitsForPort(id, port);
    }

    void sweep() {
        book.sweep(id -> core.boxes().find(id).isPresent());
        policies.keySet().removeIf(id -> core.boxes().find(id).isEmpty());
    }
}
