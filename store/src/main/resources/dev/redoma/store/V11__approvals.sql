-- SPDX-License-Identifier: Apache-2.0
-- What waits, or waited, for humans. `bound`: keyed digest of exactly what was asked, and by whom; what is shown of it is JSON. `deadline`: when a pending one is
-- denied, and until when an approved one can be used.
CREATE TABLE approval (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL, sandbox TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, bound BLOB NOT NULL, shown TEXT NOT NULL, rules TEXT NOT NULL,
    needed INTEGER NOT NULL, within_us INTEGER NOT NULL, requested_by TEXT NOT NULL, requester TEXT, created_at INTEGER NOT NULL, deadline INTEGER NOT NULL,
    redeemed_at INTEGER, exec TEXT
) STRICT;
CREATE INDEX approval_open ON approval (requested_by, bound) WHERE state IN ('pending', 'approved', 'denied');
CREATE INDEX approval_by_sandbox ON approval (sandbox) WHERE state IN ('pending', 'approved');
CREATE INDEX approval_by_time ON approval (tenant, created_at, id);
CREATE TABLE approval_decision (
    approval TEXT NOT NULL, person TEXT NOT NULL, key TEXT NOT NULL, verdict TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (approval, person)
) STRICT, WITHOUT ROWID;
